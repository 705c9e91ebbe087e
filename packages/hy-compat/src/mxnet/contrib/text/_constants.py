"""File names and checksums of published embeddings."""

from mxnet.contrib.text.embedding import FastText, GloVe

__all__ = [
    "APACHE_REPO_URL",
    "FAST_TEXT_ARCHIVE_SHA1",
    "FAST_TEXT_FILE_SHA1",
    "GLOVE_PRETRAINED_ARCHIVE_SHA1",
    "GLOVE_PRETRAINED_FILE_SHA1",
    "UNKNOWN_IDX",
]

UNKNOWN_IDX = 0
"""The number of the unknown token."""
APACHE_REPO_URL = "https://apache-mxnet.s3-accelerate.dualstack.amazonaws.com/"
GLOVE_PRETRAINED_FILE_SHA1 = GloVe.pretrained_archive_name_sha1
GLOVE_PRETRAINED_ARCHIVE_SHA1 = GloVe.pretrained_file_name_sha1
FAST_TEXT_ARCHIVE_SHA1 = FastText.pretrained_archive_name_sha1
FAST_TEXT_FILE_SHA1 = FastText.pretrained_file_name_sha1

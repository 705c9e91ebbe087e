"""Metrics and data that differ from MXNet's on purpose: what docs/differences.md says of them."""

import io
import logging
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from mxnet import nd


def test_predictions_of_one_axis_are_classes() -> None:
    metric = mx.metric.TopKAccuracy(top_k=2)
    metric.update([nd.array([3, 1, 2])], [nd.array([3.0, 1.0, 0.0])])
    assert metric.get()[1] == pytest.approx(2 / 3)


@pytest.mark.parametrize("name", ["CrossEntropy", "NegativeLogLikelihood"])
def test_one_label_for_scores_of_several_positions_is_refused(name: str) -> None:
    metric = getattr(mx.metric, name)()
    with pytest.raises(ValueError, match=r"\(2, 3, 4\)"):
        metric.update([nd.array([0, 1])], [nd.full((2, 3, 4), 0.25)])


def test_the_global_value_of_a_micro_correlation() -> None:
    metric = mx.metric.PearsonCorrelation(average="micro")
    metric.update([nd.array([0.0, 1.0])], [nd.array([0.0, 2.0])])
    assert metric.get_global()[1] == pytest.approx(1)


def test_every_pair_of_labels_counts() -> None:
    labels, classes = [0, 0, 0, 1], np.eye(2)[[0, 0, 1, 1]]
    flat, nested = mx.metric.PCC(), mx.metric.PCC()
    flat.update([nd.array(labels)], [nd.array(classes)])
    nested.update([nd.array([labels])], [nd.array(classes.T[None])])
    assert nested.get()[1] == pytest.approx(flat.get()[1]) == pytest.approx(3**-0.5)


def test_an_image_may_not_unpack_to_far_more_than_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image.new("RGB", (64, 64)).save(file, "PNG")
    assert mx.image.imdecode(file.getvalue()).shape == (64, 64, 3)
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "100")
    with pytest.raises(mx.MXNetError, match="HY_MAX_FILE_EXPANSION"):
        mx.image.imdecode(file.getvalue())


def test_augmenters_leave_the_image_alone() -> None:
    image = nd.full((2, 2, 3), 100)
    for augmenter in mx.image.BrightnessJitterAug(0.5), mx.image.ColorNormalizeAug(1.0, 2.0):
        augmenter(image)
    assert (image.asnumpy() == 100).all()


def test_the_last_batch_has_as_many_samples_as_the_first_array() -> None:
    data = {"a": np.zeros((3, 1)), "b": np.arange(5.0).reshape(5, 1)}
    batches = list(mx.io.NDArrayIter(data, batch_size=2, last_batch_handle="pad"))
    assert [batch.data[1].shape for batch in batches] == [(2, 1), (2, 1)]
    with pytest.raises(ValueError, match="last_batch_handle"):
        mx.io.NDArrayIter(np.zeros((2, 1)), last_batch_handle="keep")


def test_text_in_a_table(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("1,2\n3,x\n")
    with pytest.raises(mx.MXNetError, match=r"table\.csv"):
        list(mx.io.CSVIter(data_csv=str(file), data_shape=(2,), batch_size=1))


def test_weights_of_labels(tmp_path: Path) -> None:
    file = tmp_path / "data.svm"
    file.write_text("1:0.5 0:1\n")
    with pytest.raises(mx.MXNetError, match=r"data\.svm"):
        list(mx.io.LibSVMIter(data_libsvm=str(file), data_shape=(2,), batch_size=1))


def test_sentences_that_are_too_long_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        mx.rnn.BucketSentenceIter([[1, 2], [1, 2, 3, 4]], batch_size=1, buckets=[2])
    assert "1" in caplog.text


def sentences() -> Any:
    return mx.rnn.BucketSentenceIter([[1, 2], [3, 4]], batch_size=1, buckets=[2])


def test_resized_sentences_keep_their_bucket() -> None:
    assert [batch.bucket_key for batch in mx.io.ResizeIter(sentences(), 3)] == [2, 2, 2]


def test_the_first_batch_is_read_when_it_is_asked_for() -> None:
    class Counted(mx.io.NDArrayIter):
        read = 0

        def next(self) -> Any:
            type(self).read += 1
            return super().next()

    ahead = mx.io.PrefetchingIter(Counted(np.zeros((4, 1)), batch_size=2))
    assert Counted.read == 0
    assert len(list(ahead)) == 2


def test_the_curves_of_a_notebook() -> None:
    pytest.importorskip("pandas")
    logger = mx.notebook.callback.PandasLogger(batch_size=10)
    assert callable(logger.epoch_cb)
    logger.epoch_cb()


def test_a_file_that_is_written_is_not_pickled(tmp_path: Path) -> None:
    record = mx.recordio.MXRecordIO(str(tmp_path / "data.rec"), "w")
    with pytest.raises(TypeError, match="writ"):
        pickle.dumps(record)
    record.close()


def test_augmented_images_have_the_shape_asked_for(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (4, 4)).save(tmp_path / "a.png")
    batches = mx.image.ImageIter(
        1, (3, 2, 2), imglist=[[0, "a.png"]], path_root=str(tmp_path), aug_list=[]
    )
    with pytest.raises(ValueError, match=r"\(3, 2, 2\)"):
        next(batches)


def test_an_error_of_an_augmenter_of_boxes_is_raised(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (4, 4)).save(tmp_path / "a.png")

    class Failing(mx.image.DetAugmenter):
        def __call__(self, src: Any, label: Any) -> Any:
            raise RuntimeError("the program's mistake")

    label = [2, 5, 0, 0.1, 0.1, 0.9, 0.9]
    images: Any = {"imglist": [[label, "a.png"]], "path_root": str(tmp_path)}
    batches = mx.image.ImageDetIter(1, (3, 4, 4), **images, aug_list=[Failing()])
    with pytest.raises(RuntimeError, match="mistake"):
        next(batches)


def records(folder: Path, count: int) -> Path:
    """Write records of small images whose ids are 10, 11, …."""
    image = pytest.importorskip("PIL.Image")
    record = mx.recordio.MXIndexedRecordIO(str(folder / "a.idx"), str(folder / "a.rec"), "w")
    for index in range(count):
        file = io.BytesIO()
        image.new("RGB", (4, 4), (index, index, index)).save(file, "PNG")
        header = mx.recordio.IRHeader(0, float(index), 10 + index, 0)
        record.write_idx(index, mx.recordio.pack(header, file.getvalue()))
    record.close()
    return folder / "a.rec"


def test_batches_of_records_know_their_ids(tmp_path: Path) -> None:
    file = records(tmp_path, 2)
    batches = mx.io.ImageRecordIter(path_imgrec=str(file), data_shape=(3, 4, 4), batch_size=2)
    assert next(batches).index.tolist() == [10, 11]


def test_a_batch_larger_than_its_file_repeats_samples(tmp_path: Path) -> None:
    file = records(tmp_path, 2)
    batches = mx.io.ImageRecordIter(path_imgrec=str(file), data_shape=(3, 4, 4), batch_size=5)
    (batch,) = batches
    assert batch.label[0].asnumpy().tolist() == [0, 1, 0, 1, 0]

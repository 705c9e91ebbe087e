"""Transformers: text decoders, and text and image encoders."""

from hy_gluon.model_zoo.transformer.bert import Bert as Bert
from hy_gluon.model_zoo.transformer.decoder import Decoder as Decoder
from hy_gluon.model_zoo.transformer.generation import generate as generate, stream as stream
from hy_gluon.model_zoo.transformer.layer import (
    FeedForward as FeedForward,
    TransformerLayer as TransformerLayer,
)
from hy_gluon.model_zoo.transformer.vit import VisionTransformer as VisionTransformer

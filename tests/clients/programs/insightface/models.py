"""InsightFace's recognition, detection, gender and age, with networks of the published structure.

The published files are gone; the checkpoints here have their layers and names, and fewer of them.
"""

from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from insightface.app import FaceAnalysis
from insightface.model_zoo import face_detection, face_genderage, face_recognition, model_zoo
from insightface.utils import face_align

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.formula import drawn, uniform
from tests.clients.program import Checks

EPS = 2e-5
STRIDES = 32, 16, 8


def checks(side: str) -> Checks:
    """Each model by itself, all of them together, and files of the other side."""
    found: Checks = {
        "recognition": partial(recognition, side),
        "recognition, separable": partial(recognition, side, separable=True),
        "gender and age": partial(gender, side),
        "detection": partial(detection, side),
        "detection of other sizes": partial(sizes, side),
        "detection without landmarks": partial(detection, side, landmarks=False),
        "alignment": alignment,
        "analysis": partial(analysis, side),
        "fine tuning": fine_tuning,
    }
    return found | exchanged(side, written, read, resumed)


def batch_norm(x: Any, name: str, fix_gamma: bool = False) -> Any:
    """As the published networks have it."""
    return mx.sym.BatchNorm(x, fix_gamma=fix_gamma, eps=EPS, momentum=0.9, name=name)


def convolved(
    x: Any, filters: int, name: str, stride: int = 1, kernel: int = 3, **more: Any
) -> Any:
    """A convolution without bias that keeps the size, but for its stride."""
    half = kernel // 2
    return mx.sym.Convolution(
        x, num_filter=filters, kernel=(kernel, kernel), stride=(stride, stride), pad=(half, half),
        no_bias=True, name=name, **more,
    )  # fmt: skip


def prelu(x: Any, name: str) -> Any:
    """A slope for each channel."""
    return mx.sym.LeakyReLU(x, act_type="prelu", name=name)


def unit(x: Any, filters: int, stride: int, same: bool, name: str) -> Any:
    """The residual unit of ArcFace, with squeeze and excitation."""
    y = batch_norm(x, f"{name}_bn1")
    y = prelu(batch_norm(convolved(y, filters, f"{name}_conv1"), f"{name}_bn2"), f"{name}_relu1")
    y = batch_norm(convolved(y, filters, f"{name}_conv2", stride), f"{name}_bn3")
    squeezed = mx.sym.Pooling(
        y, global_pool=True, kernel=(7, 7), pool_type="avg", name=f"{name}_se"
    )
    for i, count in enumerate((filters // 4, filters)):
        squeezed = mx.sym.Convolution(
            squeezed, num_filter=count, kernel=(1, 1), name=f"{name}_se_conv{i}"
        )
        squeezed = prelu(squeezed, f"{name}_se_relu") if i == 0 else mx.sym.sigmoid(squeezed)
    y = mx.sym.broadcast_mul(y, squeezed)
    if not same:
        x = batch_norm(convolved(x, filters, f"{name}_conv1sc", stride, 1), f"{name}_sc")
    return x + y


WIDE, NARROW = (8, 16, 16, 32), (4, 4, 4, 4)


def residual(outputs: int, dropout: float = 0.4, widths: tuple[int, ...] = WIDE) -> Any:
    """The body and the head of ArcFace's residual networks; narrow ones have half of the units."""
    x = mx.sym.identity(mx.sym.Variable("data"), name="id")
    x = (x - 127.5) * 0.0078125
    x = prelu(batch_norm(convolved(x, widths[0], "conv0"), "bn0"), "relu0")
    for stage, filters in enumerate(widths, 1):
        x = unit(x, filters, 2, False, f"stage{stage}_unit1")
        if widths is WIDE:
            x = unit(x, filters, 1, True, f"stage{stage}_unit2")
    x = mx.sym.Dropout(batch_norm(x, "bn1"), p=dropout, name="dropout0")
    x = mx.sym.FullyConnected(x, num_hidden=outputs, name="pre_fc1")
    return batch_norm(x, "fc1", fix_gamma=True)


def separable_network(outputs: int) -> Any:
    """MobileFaceNet: depth-wise convolutions, a global one at the end."""
    x = (mx.sym.Variable("data") - 127.5) * 0.0078125
    x = prelu(batch_norm(convolved(x, 16, "conv_1", 2), "conv_1_bn"), "conv_1_relu")
    for i in range(2, 5):
        x = convolved(x, 16, f"dw_{i}", 2, num_group=16)
        x = prelu(batch_norm(x, f"dw_{i}_bn"), f"dw_{i}_relu")
        x = batch_norm(convolved(x, 16, f"pw_{i}", kernel=1), f"pw_{i}_bn")
    x = mx.sym.Convolution(
        x, num_filter=16, kernel=(7, 7), num_group=16, no_bias=True, name="conv_6dw7_7"
    )
    x = mx.sym.FullyConnected(batch_norm(x, "conv_6_bn"), num_hidden=outputs, name="pre_fc1")
    return batch_norm(x, "fc1", fix_gamma=True)


def pyramid(landmarks: bool, width: int = 16) -> Any:
    """RetinaFace: three maps, upsampled and cropped, scores, boxes and landmarks from each."""
    x = batch_norm(mx.sym.Variable("data") * 0.01, "bn_data", fix_gamma=True)
    x = batch_norm(convolved(x, 8, "conv1", 2), "conv1_bn")
    x = mx.sym.Activation(x, act_type="relu")
    x = mx.sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type="max")
    maps = []
    for i, stride in enumerate(reversed(STRIDES)):
        x = mx.sym.relu(batch_norm(convolved(x, width, f"stage{i}", 2), f"stage{i}_bn"))
        maps.append(convolved(x, width, f"rf_c{stride}_lateral", kernel=1))
    fused = [maps[2]]
    for i in (1, 0):
        up = mx.sym.UpSampling(fused[-1], scale=2, sample_type="nearest", num_args=1)
        up = mx.sym.Crop(up, maps[i], name=f"crop{i}")
        fused.append(
            mx.sym.relu(batch_norm(convolved(maps[i] + up, width, f"aggr{i}"), f"aggr{i}_bn"))
        )
    found = []
    for stride, one in zip(STRIDES, fused, strict=True):
        name = f"face_rpn_{{}}_stride{stride}"
        y = mx.sym.Concat(one, mx.sym.relu(convolved(one, width, name.format("det"))), dim=1)
        scores = mx.sym.Convolution(y, kernel=(1, 1), num_filter=4, name=name.format("cls_score"))
        scores = mx.sym.Reshape(scores, shape=(0, 2, -1, 0))
        scores = mx.sym.SoftmaxActivation(scores, mode="channel", name=name.format("cls_prob"))
        scores = mx.sym.Reshape(scores, shape=(0, 4, -1, 0), name=name.format("cls_prob_reshape"))
        box = mx.sym.Convolution(y, kernel=(1, 1), num_filter=8, name=name.format("bbox_pred"))
        found += [scores, box]
        if landmarks:
            points = name.format("landmark_pred")
            found.append(mx.sym.Convolution(y, kernel=(1, 1), num_filter=20, name=points))
    return mx.sym.Group(found)


def put(symbol: Any, prefix: str, size: int = 112) -> str:
    """A checkpoint whose values follow the formula; gives its file of parameters."""
    shapes, _, statistics = symbol.infer_shape(data=(1, 3, size, size))
    arguments = {
        name: mx.nd.array(drawn(i, name, shape))
        for i, (name, shape) in enumerate(zip(symbol.list_arguments(), shapes, strict=True))
        if name != "data"
    }
    auxiliary = {
        name: mx.nd.array(drawn(i, name, shape))
        for i, (name, shape) in enumerate(
            zip(symbol.list_auxiliary_states(), statistics, strict=True)
        )
    }
    mx.model.save_checkpoint(prefix, 0, symbol, arguments, auxiliary)
    return f"{prefix}-0000.params"


def image(name: str, height: int = 112, width: int = 112) -> Any:
    """A picture as OpenCV reads it."""
    return ((uniform(name, (height, width, 3)) + 1) * 127.5).astype(np.uint8)


def recognizer(file: str) -> Any:
    """The model of a checkpoint."""
    model = face_recognition.FaceRecognition("arcface", True, file)
    model.prepare(-1)
    return model


def recognition(side: str, separable: bool = False) -> Any:
    """Embeddings and how alike two faces are."""
    symbol = separable_network(32) if separable else residual(32)
    model = recognizer(put(symbol, f"{side}-{'mfn' if separable else 'rec'}"))
    return [model.get_embedding(image("one")), model.compute_sim(image("one"), image("two"))]


def gender(side: str) -> Any:
    """Two scores of the gender, a hundred of the age."""
    model = face_genderage.FaceGenderage("genderage", True, put(residual(202), f"{side}-ga"))
    model.prepare(-1)
    return [*model.get(image("one")), model.model.get_outputs()[0]]


def detector(file: str) -> Any:
    """The model of a checkpoint."""
    model = face_detection.FaceDetector(file, "net3")
    model.prepare(-1, nms=0.4, fix_image_size=(96, 128))
    return model


def detection(side: str, landmarks: bool = True) -> Any:
    """Boxes that stay after suppression, and their landmarks."""
    name = f"{side}-{'det' if landmarks else 'boxes'}"
    model = detector(put(pyramid(landmarks), name, 128))
    boxes, points = model.detect(image("picture", 96, 128), threshold=0.5)
    return [boxes, points, list(model.model.get_outputs())]


def sizes(side: str) -> Any:
    """Pictures of several sizes through one module, which binds anew."""
    model = detector(put(pyramid(True), f"{side}-sizes", 128))
    found = []
    for height, width in ((96, 128), (64, 64), (100, 70), (96, 128)):
        found += model.detect(image("picture", height, width), threshold=0.55, scale=1.0)
    return [found, *model.detect(image("picture", 128, 96), threshold=0.55, scale=0.5)]


def alignment() -> Any:
    """A face turned upright by its landmarks."""
    points = np.array([[30, 40], [70, 42], [50, 60], [35, 80], [68, 82]], np.float32)
    return face_align.norm_crop(image("picture"), points).astype(np.float32).mean((0, 1))


def analysis(side: str) -> Any:
    """Detection, alignment, embedding, gender and age of each face of a picture."""
    models = {
        "det": detector(put(pyramid(True), f"{side}-det", 128)),
        "rec": recognizer(put(residual(32), f"{side}-rec")),
        "ga": face_genderage.FaceGenderage("genderage", True, put(residual(202), f"{side}-ga")),
    }
    with mock.patch.object(model_zoo, "get_model", models.get):
        app = FaceAnalysis("det", "rec", "ga")
    models["ga"].prepare(-1)
    with mock.patch.object(app, "prepare"):
        app.prepare(-1)
    picture = image("picture", 96, 128)
    faces = app.get(picture, det_thresh=0.5, max_num=3)
    # Pixels of turned faces depend on OpenCV's release, so embeddings are compared here.
    return [
        [face.bbox, face.landmark, face.gender, face.age, alike(models["rec"], picture, face)]
        for face in faces
    ]


def alike(model: Any, picture: Any, face: Any) -> Any:
    """The cosine of a face's embedding and that of its pixels."""
    again = model.get_embedding(face_align.norm_crop(picture, face.landmark))
    return np.dot(again[0] / np.linalg.norm(again), face.normed_embedding)


def fine_tuning() -> Any:
    """Steps of a module on the recognition network with a margin, as ArcFace trains."""
    classes, width = 5, 16
    embedding = mx.sym.L2Normalization(residual(width, dropout=0.0), mode="instance")
    weight = mx.sym.L2Normalization(mx.sym.Variable("fc7_weight", shape=(classes, width)))
    cosine = mx.sym.FullyConnected(
        embedding, weight=weight, no_bias=True, num_hidden=classes, name="fc7"
    )
    label = mx.sym.Variable("softmax_label")
    hot = mx.sym.one_hot(label, depth=classes, on_value=1.0, off_value=0.0)
    angle = mx.sym.arccos(mx.sym.clip(cosine, -0.99, 0.99)) + 0.5 * hot
    out = mx.sym.SoftmaxOutput(mx.sym.cos(angle) * 8, label, normalization="valid", name="softmax")
    put(out, "start")
    symbol, arguments, auxiliary = mx.model.load_checkpoint("start", 0)
    module = mx.mod.Module(symbol, context=mx.cpu())
    data = (uniform("faces", (4, 3, 112, 112)) + 1) * 127.5
    batches = mx.io.NDArrayIter(data, np.array([0, 1, 2, 4], np.float32), 4)
    module.bind(batches.provide_data, batches.provide_label)
    module.set_params(arguments, auxiliary)
    module.init_optimizer(
        optimizer="sgd", optimizer_params={"learning_rate": 0.1, "momentum": 0.9, "wd": 5e-4}
    )
    batch = next(batches)
    module.forward(batch, is_train=False)
    results = [module.get_outputs()[0].asnumpy()]
    module.forward(batch, is_train=True)
    module.backward()
    module.update()
    mx.nd.waitall()  # MXNet may read the statistics before they are written
    learned, statistics = module.get_params()
    results += [module.get_outputs()[0].asnumpy(), learned["fc7_weight"], learned["conv0_weight"]]
    return [*results, statistics["fc1_moving_mean"]]


def written(folder: Path) -> Any:
    """Small checkpoints: of a detector, of a recognition network, of one that learns."""
    put(pyramid(True, width=4), str(folder / "det"), 128)
    put(residual(4, widths=NARROW), str(folder / "rec"))
    module = learning()
    module.bind(FACES.provide_data, FACES.provide_label)
    put(module.symbol, "first")
    _, arguments, auxiliary = mx.model.load_checkpoint("first", 0)
    module.set_params(arguments, auxiliary)
    results = [stepped(module) for _ in range(2)]
    module.save_checkpoint(str(folder / "learning"), 0, save_optimizer_states=True)
    return results


def read(folder: Path) -> Any:
    """What they give."""
    boxes, points = detector(str(folder / "det-0000.params")).detect(image("picture", 96, 128))
    return [boxes, points, recognizer(str(folder / "rec-0000.params")).get_embedding(image("one"))]


FACES = mx.io.NDArrayIter(
    (uniform("faces", (4, 3, 112, 112)) + 1) * 127.5, np.array([0, 1, 2, 4], np.float32), 4
)


def learning() -> Any:
    """A module of a small recognition network with classes."""
    symbol = mx.sym.SoftmaxOutput(residual(5, 0.0, NARROW), name="softmax")
    return mx.mod.Module(symbol, context=mx.cpu())


def stepped(module: Any) -> Any:
    """The outputs of a step with momentum."""
    if not module.optimizer_initialized:
        options = {"learning_rate": 0.1, "momentum": 0.9, "wd": 5e-4}
        module.init_optimizer(optimizer="sgd", optimizer_params=options)
    FACES.reset()
    module.forward_backward(next(FACES))
    module.update()
    return module.get_outputs()[0].asnumpy()


def resumed(folder: Path) -> Any:
    """The next step, with the momentum of the last."""
    module = mx.mod.Module.load(str(folder / "learning"), 0, load_optimizer_states=True)
    module.bind(FACES.provide_data, FACES.provide_label)
    return [stepped(module) for _ in range(2)]

"""Models of keras-mxnet: layers, applications, training, data, files."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from keras import (
    applications,
    backend,
    callbacks,
    initializers,
    layers,
    models,
    optimizers,
    regularizers,
    utils,
)
from keras.preprocessing import image, sequence, text

import mxnet as mx
from tests.clients.exchange import exchanged
from tests.clients.formula import drawn, uniform, words
from tests.clients.program import Checks

LAYERS: dict[str, tuple[tuple[int, ...], Callable[[], list[Any]]]] = {
    "dense": ((6,), lambda: [layers.Dense(5, activation="tanh"), layers.Dense(3, use_bias=False)]),
    "activations": (
        (6,),
        lambda: [
            layers.Activation(name)
            for name in (
                "elu",
                "selu",
                "softplus",
                "softsign",
                "sigmoid",
                "hard_sigmoid",
                "softmax",
            )
        ],
    ),
    "advanced activations": (
        (6,),
        lambda: [layers.LeakyReLU(0.2), layers.PReLU(), layers.ELU(0.5), layers.ReLU(max_value=1)],
    ),
    "convolution": (
        (9, 9, 3),
        lambda: [
            layers.Conv2D(4, 3, padding="same", activation="relu"),
            layers.Conv2D(5, (3, 2), strides=2),
            layers.Conv2D(3, 2, dilation_rate=2),
        ],
    ),
    "convolution of sequences": (
        (9, 3),
        lambda: [layers.Conv1D(4, 3, padding="causal"), layers.Conv1D(5, 2, strides=2)],
    ),
    "convolution of volumes": ((5, 5, 5, 2), lambda: [layers.Conv3D(3, 3), layers.Flatten()]),
    "transposed convolution": (
        (5, 5, 3),
        lambda: [layers.Conv2DTranspose(4, 3, strides=2, padding="same")],
    ),
    "separable convolution": (
        (7, 7, 3),
        lambda: [layers.SeparableConv2D(4, 3), layers.DepthwiseConv2D(3)],
    ),
    "pooling": (
        (8, 8, 3),
        lambda: [
            layers.MaxPooling2D(2, padding="same"),
            layers.AveragePooling2D(3, strides=1),
            layers.GlobalAveragePooling2D(),
        ],
    ),
    "pooling of sequences": (
        (8, 3),
        lambda: [layers.MaxPooling1D(2), layers.AveragePooling1D(2), layers.GlobalMaxPooling1D()],
    ),
    "shapes": (
        (4, 4, 3),
        lambda: [
            layers.ZeroPadding2D(1),
            layers.Cropping2D(((1, 0), (0, 1))),
            layers.UpSampling2D(2),
            layers.Permute((3, 1, 2)),
            layers.Reshape((-1, 6)),
            layers.Flatten(),
            layers.RepeatVector(2),
        ],
    ),
    "normalization": (
        (4, 4, 3),
        lambda: [layers.BatchNormalization(), layers.BatchNormalization(axis=1, scale=False)],
    ),
    "long short-term memory": (
        (5, 4),
        lambda: [layers.LSTM(6, return_sequences=True, unroll=True)],
    ),
    "recurrent layers in a row": (
        (5, 4),
        lambda: [layers.LSTM(6, return_sequences=True, unroll=True), layers.LSTM(3, unroll=True)],
    ),
    "gated recurrent unit": ((5, 4), lambda: [layers.GRU(6, unroll=True)]),
    "simple recurrence": ((5, 4), lambda: [layers.SimpleRNN(6, unroll=True)]),
    "both directions": (
        (5, 4),
        lambda: [layers.Bidirectional(layers.LSTM(3, return_sequences=True, unroll=True))],
    ),
    "each step": (
        (5, 4, 4, 2),
        lambda: [
            layers.TimeDistributed(layers.Conv2D(3, 2)),
            layers.TimeDistributed(layers.Flatten()),
        ],
    ),
    "function": ((5,), lambda: [layers.Lambda(lambda x: x * 2 + 1), layers.Dropout(0.5)]),
}
"""Shape of a sample, and the layers it goes through."""

APPLICATIONS = {
    "VGG16": 64,
    "ResNet50": 64,
    "InceptionV3": 75,
    "Xception": 71,
    "MobileNet": 64,
    "MobileNetV2": 64,
    "DenseNet121": 64,
    "NASNetMobile": 64,
    "InceptionResNetV2": 75,
}
OPTIMIZERS = {
    "SGD": {"lr": 0.1, "momentum": 0.9, "decay": 0.01},
    "clipped SGD": {"lr": 0.1, "clipnorm": 0.1},
    "Adam": {"decay": 0.1},
    "Adamax": {},
    "Nadam": {},
    "RMSprop": {},
    "Adagrad": {},
    "Adadelta": {},
}
LOSSES = (
    "mean_squared_error",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_logarithmic_error",
    "squared_hinge",
    "hinge",
    "binary_crossentropy",
    "categorical_crossentropy",
    "kullback_leibler_divergence",
    "poisson",
    "cosine_proximity",
)


def checks(side: str) -> Checks:
    """Predictions of all layers and applications; training by each optimizer and loss."""
    found: Checks = {f"layers: {name}": partial(predicted, name) for name in LAYERS}
    found |= {f"{name}": partial(application, name) for name in APPLICATIONS}
    found |= {f"optimizer {name}": partial(optimized, name) for name in OPTIMIZERS}
    found |= {
        "losses": losses,
        "merged branches": merged,
        "embedded words": embedded,
        "network in rows of channels": channels_first,
        "convolutional training": convolutional,
        "recurrent training": recurrent,
        "callbacks and weights of classes": watched,
        "generators": generators,
        "regularization and constraints": regularized,
        "data": data,
        "arrays of the backend": arrays,
    }
    return found | exchanged(side, written, read)


def filled(model: Any) -> Any:
    """The model, its weights by formula."""
    names = [weight.name for layer in model.layers for weight in layer.weights]
    values = []
    for i, (name, old) in enumerate(zip(names, model.get_weights(), strict=True)):
        kind = next(
            (k for k in ("gamma", "beta", "mean", "variance", "bias") if k in name), "weight"
        )
        kind = "var" if kind == "variance" else kind
        turned = drawn(i, kind, old.shape[::-1])  # Keras's inputs come before its outputs
        values.append(turned.T)
    model.set_weights(values)
    return model


def stacked(*parts: Any, shape: tuple[int, ...]) -> Any:
    """Layers one after the other."""
    first = layers.Input(shape=shape)
    out = first
    for part in parts:
        out = part(out)
    return models.Model(first, out)


def predicted(name: str) -> Any:
    """What layers give, one sample at a time and together."""
    shape, make = LAYERS[name]
    model = stacked(*make(), shape=shape)
    model.compile("sgd", "mse")
    filled(model)
    x = uniform(name, (4, *shape))
    return [
        model.predict(x, batch_size=2),
        model.predict(x[:3], batch_size=3),
        model.count_params(),
    ]


def application(name: str) -> Any:
    """Probabilities of two images."""
    size = APPLICATIONS[name]
    options = {"weights": None, "classes": 7, "input_shape": (size, size, 3)}
    model = filled(getattr(applications, name)(**options))
    model.compile("sgd", "categorical_crossentropy")
    return model.predict(uniform(name, (2, size, size, 3)))


def perceptron() -> Any:
    """Two dense layers."""
    return filled(
        models.Sequential(
            [
                layers.Dense(8, activation="relu", input_shape=(5,)),
                layers.Dense(3, activation="softmax"),
            ]
        )
    )


def samples(count: int = 24) -> tuple[Any, Any]:
    """Inputs, and classes one-hot."""
    classes = words("classes", (count,), 3)
    return uniform("samples", (count, 5)), utils.to_categorical(classes, 3)


def optimized(name: str) -> Any:
    """Two epochs of three batches."""
    model = perceptron()
    if name == "Nadam":  # MXNet's momentum schedule advances with each parameter
        model = filled(
            models.Sequential(
                [layers.Dense(3, use_bias=False, activation="softmax", input_shape=(5,))]
            )
        )
    optimizer = getattr(optimizers, name.rsplit(maxsplit=1)[-1])(**OPTIMIZERS[name])
    model.compile(optimizer, "categorical_crossentropy", metrics=["accuracy"])
    x, y = samples()
    history = model.fit(x, y, batch_size=8, epochs=2, shuffle=False, verbose=0).history
    return [history["loss"], model.get_weights(), model.evaluate(x, y, verbose=0)]


def losses() -> Any:
    """Each loss and its step."""
    results = []
    for loss in LOSSES:
        model = perceptron()
        model.compile("sgd", loss, metrics=["mae", "mse", "accuracy"])
        x, y = samples(8)
        results.append([model.train_on_batch(x, y), model.get_weights()[0]])
    model = perceptron()
    model.compile("sgd", "sparse_categorical_crossentropy")
    x, y = samples(8)
    return [*results, model.train_on_batch(x, y.argmax(1)[:, None])]


def merged() -> Any:
    """Two inputs, all ways to put them together, two outputs with losses of their own."""
    one, two = layers.Input((6,)), layers.Input((6,))
    pair = [layers.Dense(5)(one), layers.Dense(5)(two)]
    kinds = layers.Add, layers.Subtract, layers.Multiply, layers.Average, layers.Maximum
    joined = layers.Concatenate()([kind()(pair) for kind in kinds])
    joined = layers.Concatenate()([joined, layers.Dot(1)(pair)])
    outputs = [layers.Dense(2, name="a")(joined), layers.Dense(1, name="b")(joined)]
    model = filled(models.Model([one, two], outputs))
    model.compile("adam", {"a": "mse", "b": "mae"}, loss_weights={"a": 1.0, "b": 0.5})
    x = [uniform("one", (8, 6)), uniform("two", (8, 6))]
    y = [uniform("a", (8, 2)), uniform("b", (8, 1))]
    before = model.predict(x)
    return [before, model.train_on_batch(x, y), model.predict(x)]


def embedded() -> Any:
    """Words, convolved and pooled."""
    model = models.Sequential([
        layers.Embedding(20, 6, input_length=7),
        layers.Conv1D(8, 3, activation="relu"),
        layers.GlobalMaxPooling1D(),
        layers.Dense(1, activation="sigmoid"),
    ])  # fmt: skip
    filled(model).compile("adam", "binary_crossentropy", metrics=["acc"])
    x, y = words("words", (16, 7), 20), words("moods", (16,), 2)
    return [model.predict(x), model.fit(x, y, 8, 2, shuffle=False, verbose=0).history["loss"]]


def channels_first() -> Any:
    """The layout in which MXNet computes."""
    backend.set_image_data_format("channels_first")
    try:
        parts = layers.Conv2D(4, 3), layers.BatchNormalization(axis=1), layers.MaxPooling2D()
        model = filled(stacked(*parts, shape=(3, 9, 9)))
        model.compile("sgd", "mse")
        return model.predict(uniform("rows", (2, 3, 9, 9)))
    finally:
        backend.set_image_data_format("channels_last")


def convolutional() -> Any:
    """Convolutions and normalization, their statistics after training."""
    model = models.Sequential([
        layers.Conv2D(4, 3, input_shape=(8, 8, 1), padding="same"),
        layers.BatchNormalization(),
        layers.Activation("relu"),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dense(3, activation="softmax"),
    ])  # fmt: skip
    filled(model).compile(optimizers.SGD(0.05, momentum=0.9), "categorical_crossentropy")
    x, y = uniform("digits", (16, 8, 8, 1)), samples(16)[1]
    history = model.fit(x, y, 8, 2, shuffle=False, verbose=0).history["loss"]
    mx.nd.waitall()
    return [history, model.predict(x)]


def recurrent() -> Any:
    """Layers of recurrent units."""
    model = models.Sequential([
        layers.LSTM(6, input_shape=(5, 3), unroll=True),
        layers.Dense(1),
    ])  # fmt: skip
    filled(model).compile("rmsprop", "mse")
    x, y = uniform("series", (8, 5, 3)), uniform("next", (8, 1))
    return [model.predict(x), [model.train_on_batch(x, y) for _ in range(2)], model.predict(x)]


def watched() -> Any:
    """Rates by epoch, stops, notes in a file, weights of classes and samples."""
    model = perceptron()
    model.compile(optimizers.SGD(0.5), "categorical_crossentropy", metrics=["accuracy"])
    x, y = samples()
    watching = [
        callbacks.LearningRateScheduler(lambda epoch: 0.5 / (epoch + 1)),
        callbacks.EarlyStopping("val_loss", patience=5),
        callbacks.CSVLogger("notes.csv"),
        callbacks.ReduceLROnPlateau("val_loss", patience=1),
    ]
    history = model.fit(
        x, y, 8, 4, callbacks=watching, validation_data=(x[:8], y[:8]), shuffle=False, verbose=0,
        class_weight={0: 1.0, 1: 2.0, 2: 0.5},
    ).history  # fmt: skip
    weighted = model.train_on_batch(x, y, sample_weight=np.arange(24.0) / 24)
    return [history["loss"], history["val_loss"], history["lr"], weighted]


class Pairs(utils.Sequence):  # type: ignore[misc]
    """Batches by number."""

    def __len__(self) -> int:
        """How many there are."""
        return 3

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        """One of them."""
        x, y = samples()
        return x[index * 8 : index * 8 + 8], y[index * 8 : index * 8 + 8]


def generators() -> Any:
    """Training, evaluation and prediction from batches that are made on the way."""
    model = perceptron()
    model.compile("adam", "categorical_crossentropy")
    history = model.fit_generator(Pairs(), epochs=2, shuffle=False, verbose=0).history["loss"]
    return [history, model.evaluate_generator(Pairs()), model.predict_generator(Pairs())]


def regularized() -> Any:
    """Penalties on weights and activities, initializers, layers that are not trained."""
    model = models.Sequential([
        layers.Dense(8, input_shape=(5,), kernel_regularizer=regularizers.l1_l2(0.01, 0.02),
                     activity_regularizer=regularizers.l2(0.01)),
        layers.Dense(4, trainable=False, kernel_initializer=initializers.Constant(0.1)),
        layers.Dense(3, activation="softmax", bias_initializer="ones"),
    ])  # fmt: skip
    filled(model).compile("sgd", "categorical_crossentropy")
    x, y = samples(8)
    return [[model.train_on_batch(x, y) for _ in range(2)], model.get_weights()]


def data() -> Any:
    """Batches of images, standardized; sequences padded; texts as numbers."""
    images = (uniform("images", (6, 8, 8, 3)) + 1) * 127
    maker = image.ImageDataGenerator(featurewise_center=True, rescale=1 / 255)
    maker.fit(images)
    batches = maker.flow(images, np.arange(6), batch_size=4, shuffle=False)
    tokenizer = text.Tokenizer(num_words=10)
    tokenizer.fit_on_texts(["the time machine", "the time traveller"])
    numbers = tokenizer.texts_to_sequences(["the machine traveller", "time"])
    return [batches[0], batches[1], sequence.pad_sequences(numbers, maxlen=4)]


def arrays() -> Any:
    """Functions of `keras.backend`, evaluated."""
    x = backend.variable(uniform("x", (3, 4)))
    y = backend.variable(uniform("y", (4, 2)))
    values = [
        backend.dot(x, y),
        backend.sum(x, axis=1),
        backend.softmax(x),
        backend.clip(x, -0.5, 0.5),
        backend.concatenate([x, x], axis=0),
        backend.transpose(x),
        backend.argmax(x, axis=-1),
        backend.l2_normalize(x, axis=1),
        backend.std(x, axis=0),
        backend.expand_dims(x, 1),
        backend.gather(x, backend.variable([2, 0])),
    ]
    return [backend.eval(value) for value in values]


def small() -> Any:
    """A model that is written and read."""
    parts = layers.Conv2D(4, 3), layers.BatchNormalization(), layers.Flatten(), layers.Dense(3)
    model = filled(stacked(*parts, shape=(6, 6, 2)))
    model.compile("sgd", "mse")
    return model


def written(folder: Path) -> Any:
    """A model's structure as JSON; symbol and parameters for MXNet's own module."""
    model = small()
    again = models.model_from_json(model.to_json())
    again.set_weights(model.get_weights())
    again.compile("sgd", "mse")
    x = uniform("written", (2, 6, 6, 2))
    out = model.predict(x)
    names, shapes = models.save_mxnet_model(model, prefix=str(folder / "small"))
    return [out, again.predict(x), names, [shape[1:] for _, shape in shapes]]


def read(folder: Path) -> Any:
    """What a module of the files gives."""
    symbol, arguments, statistics = mx.model.load_checkpoint(str(folder / "small"), 0)
    name = next(n for n in symbol.list_arguments() if n not in arguments)
    module = mx.mod.Module(symbol, [name], None)
    x = mx.nd.array(uniform("written", (2, 6, 6, 2)))
    module.bind([(name, x.shape)], for_training=False)
    module.set_params(arguments, statistics)
    module.forward(mx.io.DataBatch([x]), is_train=False)
    return list(module.get_outputs())

"""Chapter 16: ratings, rankings, sequences of items, clicks."""

from typing import Any
from unittest import mock

import numpy
from d2l import mxnet as d2l

import mxnet as mx
from mxnet import gluon, np
from mxnet.gluon import nn
from tests.clients.formula import filled, uniform, words
from tests.clients.program import Checks
from tests.clients.programs.d2l.made import array, curves, downloaded, ids, in_turn

DEVICES = [mx.cpu(0), mx.cpu(1)]
USERS, ITEMS = 6, 6  # the book takes items for users when it ranks


def checks(side: str) -> Checks:
    """Each loop of the chapter, with ratings made up."""
    del side
    return {
        "losses and scores": losses,
        "ratings": ratings,
        "factors": factors,
        "autoencoder": autoencoder,
        "ranking": ranking,
        "ranking of sequences": sequences,
        "clicks": clicks,
    }


def table() -> str:
    """Who rated what, how and when, separated by tabs."""
    stars = 1 + words("stars", (USERS, ITEMS), 5)
    times = words("times", (USERS, ITEMS), 1000)
    rated = words("rated", (USERS, ITEMS), 4) > 0
    rows = [
        f"{u + 1}\t{i + 1}\t{stars[u, i]}\t{times[u, i]}"
        for u in range(USERS)
        for i in range(ITEMS)
        if rated[u, i]
    ]
    return "\n".join(rows)


def losses() -> Any:
    """Losses of rankings; hits among the first items."""
    positive, negative = array("p", 4, 1), array("n", 4, 1)
    return [
        d2l.BPRLoss()(positive, negative),
        d2l.HingeLossbRec()(positive, negative),
        d2l.hit_and_auc([1, 5, 3], [3], 2),
    ]


def ratings() -> Any:
    """The file of ratings, the last one of each user apart."""
    numpy.random.seed(9)  # noqa: NPY002  # the order of the batches
    read = d2l.pd.read_csv
    by_place = mock.patch.object(  # pandas 2 wants the separator by its name
        d2l.pd, "read_csv", lambda path, sep, **options: read(path, sep=sep, **options)
    )
    with by_place, downloaded({"u.data": table()}):
        data, users, items = d2l.read_data_ml100k()
        train, test = d2l.split_data_ml100k(data, users, items, "seq-aware")
        explicit = d2l.load_data_ml100k(train, users, items, "explicit")
        implicit = d2l.load_data_ml100k(test, users, items, "implicit")
        *counts, batches, others = d2l.split_and_load_ml100k("seq-aware", batch_size=8)
        some, rest = d2l.split_data_ml100k(data, users, items, "random")
    return [
        train.to_numpy(), test.to_numpy(), explicit, implicit, counts, [*batches], [*others],
        len(some) + len(rest),
    ]  # fmt: skip


class Factors(nn.Block):
    """Products of users' and items' vectors, and a bias of each."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(USERS, width), nn.Embedding(ITEMS, width)
        self.user_bias, self.item_bias = nn.Embedding(USERS, 1), nn.Embedding(ITEMS, 1)

    def forward(self, user: Any, item: Any) -> Any:
        """A rating of each pair."""
        products = (self.users(user) * self.items(item)).sum(axis=1)
        return products + self.user_bias(user).reshape(-1) + self.item_bias(item).reshape(-1)


def rated() -> Any:
    """Batches of users, items and stars, in turn."""
    return in_turn(
        ids("user", 24, count=USERS), ids("item", 24, count=ITEMS),
        ids("given", 24, count=5).astype("float32"), size=8,
    )  # fmt: skip


def factors() -> Any:
    """Matrix factorization on two devices; errors by the chapter's measure."""

    def evaluator(net: Any, test_iter: Any, devices: Any) -> float:
        measure, values = mx.metric.RMSE(), []
        for users, items, stars in test_iter:
            parts = (gluon.utils.split_and_load(x, devices) for x in (users, items, stars))
            for u, i, r in zip(*parts, strict=True):
                measure.update(labels=[r.as_nd_ndarray()], preds=[net(u, i).as_nd_ndarray()])
                values.append(measure.get()[1])
        return float(numpy.mean(values))

    net = filled(Factors(4), ctx=DEVICES)
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02, "wd": 1e-5})
    return curves(
        d2l.train_recsys_rating, net, rated(), rated(), gluon.loss.L2Loss(), trainer, 4, DEVICES,
        evaluator,
    )  # fmt: skip


class Autoencoder(nn.Block):
    """A row of ratings through a narrow layer; only what was rated counts while it learns."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Dense(4, activation="sigmoid", use_bias=True)
        self.decoder = nn.Dense(USERS, use_bias=True)

    def forward(self, x: Any) -> Any:
        """The row as it is expected."""
        found = self.decoder(self.encoder(x))
        return found * np.sign(x) if mx.autograd.is_training() else found


def autoencoder() -> Any:
    """Rows of a matrix; the test compares with the whole of it."""
    matrix = ids("matrix", ITEMS, USERS, count=5).astype("float32")

    def evaluator(net: Any, test_iter: Any, whole: Any, devices: Any) -> float:
        scores = np.concatenate([net(x.as_in_ctx(devices[0])) for x in test_iter])
        return float(np.sqrt((np.sign(whole) * (whole - scores) ** 2).sum() / np.sign(whole).sum()))

    net = filled(Autoencoder())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    rows = gluon.data.DataLoader(gluon.data.SimpleDataset([*matrix]), batch_size=3)
    return curves(
        d2l.train_recsys_rating, net, rows, rows, gluon.loss.L2Loss(), trainer, 4, [mx.cpu()],
        evaluator, inter_mat=matrix,
    )  # fmt: skip


class Ranking(nn.Block):
    """Scores of users and items, of products and of dense layers; optionally of items before."""

    def __init__(self, before: bool = False) -> None:
        super().__init__()
        self.users, self.items = nn.Embedding(USERS, 4), nn.Embedding(ITEMS, 4)
        self.before = nn.Embedding(ITEMS, 4) if before else None
        self.dense = nn.Sequential()
        self.dense.add(nn.Dense(6, activation="relu"), nn.Dense(1, use_bias=False))

    def forward(self, user: Any, *others: Any) -> Any:
        """One score of each row."""
        vectors = [self.users(user), self.items(others[-1])]
        if self.before is not None:
            vectors.append(self.before(others[0]).mean(axis=1))
        return self.dense(np.concatenate([vectors[0] * vectors[1], *vectors], axis=1))


def preferred() -> Any:
    """What each user saw, one by one, and the item that is to be found."""
    seen = {u: [int(i) for i in words(f"seen {u}", (2,), ITEMS)] for u in range(USERS)}
    wanted = {u: [next(i for i in range(ITEMS) if i not in seen[u])] for u in range(USERS)}
    return seen, wanted


def ranking() -> Any:
    """Pairs of an item that was chosen and one that was not."""
    seen, wanted = preferred()
    net = filled(Ranking())
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    batches = in_turn(*(ids(f"ranked {i}", 24, count=USERS) for i in range(3)), size=8)
    return curves(
        d2l.train_ranking, net, batches, wanted, d2l.BPRLoss(), trainer, None, USERS, ITEMS, 3,
        [mx.cpu()], d2l.evaluate_ranking, seen,
    )  # fmt: skip


def sequences() -> Any:
    """The same with the items that came before, and a hinge."""
    seen, wanted = preferred()
    net = filled(Ranking(before=True))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    user, before, chosen, other = (
        ids("user", 24, count=USERS), ids("before", 24, 3, count=ITEMS),
        ids("chosen", 24, count=ITEMS), ids("other", 24, count=ITEMS),
    )  # fmt: skip
    return curves(
        d2l.train_ranking, net, in_turn(user, before, chosen, other, size=8), wanted,
        d2l.HingeLossbRec(), trainer, ids("last", USERS, 3, count=ITEMS), USERS, ITEMS, 3,
        [mx.cpu()], d2l.evaluate_ranking, seen, eval_step=2,
    )  # fmt: skip


class Machine(nn.Block):
    """A factorization machine: linear terms and products of all pairs of fields."""

    def __init__(self, sizes: Any) -> None:
        super().__init__()
        count = int(sum(sizes))
        self.vectors, self.weights = nn.Embedding(count, 4), nn.Embedding(count, 1)
        self.linear = nn.Dense(1, use_bias=True)

    def forward(self, x: Any) -> Any:
        """How likely a click is."""
        vectors = self.vectors(x)
        pairs = vectors.sum(axis=1) ** 2 - (vectors**2).sum(axis=1)
        scores = self.linear(self.weights(x).sum(1)) + 0.5 * pairs.sum(1, keepdims=True)
        return mx.npx.sigmoid(scores)


def clicks() -> Any:
    """Fields as texts, those that are rare as one; the loop of chapter 13."""
    fields = words("fields", (40, 3), 4)
    chosen = uniform("clicks", (40,)) > 0
    rows = [
        "\t".join([str(int(one)), *map(str, row)]) for one, row in zip(chosen, fields, strict=True)
    ]
    with downloaded({"train.csv": "\n".join(rows)}):
        dataset = d2l.CTRDataset(d2l.download("ctr"), min_threshold=40, num_feat=3)
        again = d2l.CTRDataset(
            d2l.download("ctr"), dataset.feat_mapper, dataset.defaults, num_feat=3
        )
    net = filled(Machine(dataset.field_dims))
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.02})
    loss = gluon.loss.SigmoidBinaryCrossEntropyLoss(from_sigmoid=True)
    batches = gluon.data.DataLoader(dataset, batch_size=8)
    found = curves(d2l.train_ch13, net, batches, batches, loss, trainer, 2, [mx.cpu()])
    return [len(dataset), dataset.field_dims, again[3], found]

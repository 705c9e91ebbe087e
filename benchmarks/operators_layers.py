"""Rows of `benchmarks.operators`, second half: products, layers, vision, images, updates."""

from benchmarks.operators_rows import (
    CHANNELS,
    GAMMA,
    IMAGE,
    MATRIX,
    PHOTOS,
    SEQUENCES,
    STACK,
    TWO,
    VECTORS,
    Operand,
    Row,
    X,
    Y,
)

PRODUCTS = (
    Row("product", "nd.dot(x, y.T)", TWO, "x @ y.T", "x @ y.T", ("x", "y")),
    Row("product", "nd.batch_dot(x, x)", {"x": STACK}, "torch.bmm(x, x)", "x @ x", ("x",)),
    Row(
        "product",
        "nd.FullyConnected(x, w, b, num_hidden=w.shape[0])",
        {
            "x": X,
            "w": Operand(((16, 32), (256, 256), (1024, 1024))),
            "b": Operand(((16,), (256,), (1024,))),
        },
        "F.linear(x, w, b)",
        "x @ w.T + b",
        ("x", "w", "b"),
    ),
    Row(
        "product",
        "nd.linalg.potrf(nd.batch_dot(x, x, transpose_b=True) + 500 * nd.eye(x.shape[1]))",
        {"x": STACK},
        "torch.linalg.cholesky(torch.bmm(x, x.mT) + 500 * torch.eye(x.shape[1]))",
    ),
    Row("product", "nd.linalg.syrk(x)", {"x": STACK}, "torch.bmm(x, x.mT)", "", ("x",)),
)
CONVOLUTIONS = (
    Row(
        "convolution",
        "nd.Convolution(x, w, b, kernel=(3, 3), num_filter=w.shape[0], pad=(1, 1))",
        {
            "x": IMAGE,
            "w": Operand(((8, 8, 3, 3), (32, 32, 3, 3), (64, 64, 3, 3))),
            "b": Operand(CHANNELS),
        },
        "F.conv2d(x, w, b, padding=1)",
        "",
        ("x", "w", "b"),
    ),
    Row(
        "convolution",
        "nd.Convolution(x, w, kernel=(3, 3), num_filter=w.shape[0], pad=(1, 1), "
        "num_group=w.shape[0], no_bias=True)",
        {"x": IMAGE, "w": Operand(((8, 1, 3, 3), (32, 1, 3, 3), (64, 1, 3, 3)))},
        "F.conv2d(x, w, padding=1, groups=len(w))",
        "",
        ("x", "w"),
    ),
    Row(
        "convolution",
        "nd.Convolution(x, w, kernel=(5,), num_filter=w.shape[0], no_bias=True)",
        {
            "x": Operand(((2, 8, 40), (8, 32, 200), (16, 64, 1000))),
            "w": Operand(((8, 8, 5), (32, 32, 5), (64, 64, 5))),
        },
        "F.conv1d(x, w)",
        "",
        ("x", "w"),
    ),
    Row(
        "convolution",
        "nd.Convolution(x, w, kernel=(3, 3, 3), num_filter=w.shape[0], pad=(1, 1, 1), "
        "no_bias=True)",
        {
            "x": Operand(((1, 3, 6, 6, 6), (2, 8, 12, 16, 16), (2, 16, 16, 28, 28))),
            "w": Operand(((4, 3, 3, 3, 3), (16, 8, 3, 3, 3), (32, 16, 3, 3, 3))),
        },
        "F.conv3d(x, w, padding=1)",
        "",
        ("x", "w"),
    ),
    Row(
        "convolution",
        "nd.Deconvolution(x, w, kernel=(4, 4), num_filter=w.shape[1], stride=(2, 2), pad=(1, 1), "
        "no_bias=True)",
        {
            "x": Operand(((1, 8, 7, 7), (4, 32, 14, 14), (8, 64, 28, 28))),
            "w": Operand(((8, 8, 4, 4), (32, 16, 4, 4), (64, 32, 4, 4))),
        },
        "F.conv_transpose2d(x, w, stride=2, padding=1)",
        "",
        ("x", "w"),
    ),
    Row(
        "convolution",
        "nd.Deconvolution(x, w, kernel=(3, 3), num_filter=w.shape[1], no_bias=True)",
        {
            "x": Operand(((1, 8, 7, 7), (4, 32, 14, 14), (8, 64, 28, 28))),
            "w": Operand(((8, 8, 3, 3), (32, 16, 3, 3), (64, 32, 3, 3))),
        },
        "F.conv_transpose2d(x, w)",
        "",
        ("x", "w"),
    ),
    Row(
        "convolution",
        "nd.contrib.DeformableConvolution(x, o, w, kernel=(3, 3), num_filter=w.shape[0], "
        "pad=(1, 1), no_bias=True)",
        {
            "x": Operand(((1, 4, 8, 8), (2, 16, 14, 14), (2, 32, 28, 28))),
            "o": Operand(((1, 18, 8, 8), (2, 18, 14, 14), (2, 18, 28, 28))),
            "w": Operand(((4, 4, 3, 3), (16, 16, 3, 3), (32, 32, 3, 3))),
        },
        "",
        "",
        ("x", "o", "w"),
    ),
)
LAYERS = (
    Row(
        "pooling",
        "nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type='max')",
        {"x": IMAGE},
        "F.max_pool2d(x, 2)",
        "",
        ("x",),
    ),
    Row(
        "pooling",
        "nd.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type='max')",
        {"x": IMAGE},
        "F.max_pool2d(x, 3, 2, 1)",
        "",
        ("x",),
    ),
    Row(
        "pooling",
        "nd.Pooling(x, kernel=(3, 3), stride=(1, 1), pad=(1, 1), pool_type='avg')",
        {"x": IMAGE},
        "F.avg_pool2d(x, 3, 1, 1)",
        "",
        ("x",),
    ),
    Row(
        "pooling",
        "nd.Pooling(x, global_pool=True, kernel=(1, 1), pool_type='avg')",
        {"x": IMAGE},
        "x.mean((2, 3), keepdim=True)",
        "x.mean((2, 3), keepdims=True)",
        ("x",),
    ),
    Row(
        "pooling",
        "nd.contrib.AdaptiveAvgPooling2D(x, output_size=5)",
        {"x": IMAGE},
        "F.adaptive_avg_pool2d(x, 5)",
        "",
        ("x",),
    ),
    Row(
        "norm",
        "nd.BatchNorm(x, gamma, gamma, gamma * 0, gamma, fix_gamma=False)",
        {"x": IMAGE, "gamma": GAMMA},
        "F.batch_norm(x, gamma.detach() * 0, gamma.detach() * 1, gamma, gamma, "
        "training=x.requires_grad)",
        "",
        ("x", "gamma"),
    ),
    Row(
        "norm",
        "nd.LayerNorm(x, g, g)",
        {"x": X, "g": Operand(VECTORS)},
        "F.layer_norm(x, g.shape, g, g)",
        "",
        ("x", "g"),
    ),
    Row(
        "norm",
        "nd.GroupNorm(x, g, g, num_groups=4)",
        {"x": IMAGE, "g": Operand(((4,), (4,), (4,)))},
        "F.group_norm(x, 4)",
        "",
        ("x",),
    ),
    Row(
        "norm",
        "nd.InstanceNorm(x, g, g)",
        {"x": IMAGE, "g": Operand(CHANNELS)},
        "F.instance_norm(x, weight=g, bias=g)",
        "",
        ("x", "g"),
    ),
    Row("norm", "nd.LRN(x, nsize=5)", {"x": IMAGE}, "F.local_response_norm(x, 5)", "", ("x",)),
    Row(
        "norm",
        "nd.Dropout(x, p=0.5)",
        MATRIX,
        "F.dropout(x, training=x.requires_grad)",
        "",
        ("x",),
    ),
    Row(
        "recurrent",
        "nd.RNN(x, w, h, h, state_size=h.shape[2], num_layers=1, mode='lstm')",
        {
            "x": Operand(SEQUENCES),
            "w": Operand(((16 * 4 * 34,), (64 * 4 * 130,), (256 * 4 * 514,))),
            "h": Operand(((1, 2, 16), (1, 16, 64), (1, 32, 256))),
        },
        "",
        "",
        ("x", "w"),
    ),
    Row(
        "recurrent",
        "nd.RNN(x, w, h, state_size=h.shape[2], num_layers=1, mode='gru')",
        {
            "x": Operand(SEQUENCES),
            "w": Operand(((16 * 3 * 34,), (64 * 3 * 130,), (256 * 3 * 514,))),
            "h": Operand(((1, 2, 16), (1, 16, 64), (1, 32, 256))),
        },
        "",
        "",
        ("x", "w"),
    ),
)
VISION = (
    Row(
        "vision",
        "nd.ROIPooling(x, r, (7, 7), 1.0)",
        {
            "x": IMAGE,
            "r": Operand(((4, 5), (32, 5), (128, 5)), "rois", (14, 28, 56)),
        },
        "",
        "",
        ("x",),
    ),
    Row(
        "vision",
        "nd.contrib.ROIAlign(x, r, (7, 7), 1.0, sample_ratio=2)",
        {
            "x": IMAGE,
            "r": Operand(((4, 5), (32, 5), (128, 5)), "rois", (14, 28, 56)),
        },
        "",
        "",
        ("x",),
    ),
    Row(
        "vision",
        "nd.contrib.box_nms(b, overlap_thresh=0.5)",
        {"b": Operand(((1, 20, 6), (1, 400, 6), (8, 2000, 6)), "boxes", (50, 200, 500))},
    ),
    Row(
        "vision",
        "nd.contrib.box_iou(x, y)",
        {"x": Operand(((10, 4), (200, 4), (2000, 4))), "y": Operand(((10, 4), (50, 4), (200, 4)))},
    ),
    Row(
        "vision",
        "nd.contrib.MultiBoxPrior(x, sizes=(0.5, 0.25), ratios=(1, 2, 0.5))",
        {"x": IMAGE},
    ),
    Row(
        "vision",
        "nd.BilinearSampler(x, g)",
        {"x": IMAGE, "g": Operand(((1, 2, 14, 14), (4, 2, 28, 28), (8, 2, 56, 56)))},
        "F.grid_sample(x, g.permute(0, 2, 3, 1), align_corners=True)",
        "",
        ("x", "g"),
    ),
    Row(
        "vision",
        "nd.UpSampling(x, scale=2, sample_type='nearest')",
        {"x": IMAGE},
        "F.interpolate(x, scale_factor=2)",
        "",
        ("x",),
    ),
    Row(
        "vision",
        "nd.contrib.BilinearResize2D(x, height=40, width=40)",
        {"x": IMAGE},
        "F.interpolate(x, size=(40, 40), mode='bilinear', align_corners=True)",
        "",
        ("x",),
    ),
    Row(
        "vision",
        "nd.Correlation(x, x, kernel_size=1, max_displacement=3, pad_size=3)",
        {"x": Operand(((1, 8, 14, 14), (2, 16, 28, 28), (2, 32, 56, 56)))},
        "",
        "",
        ("x",),
    ),
    *(
        Row(
            "image",
            f"nd.image.resize(u, (u.shape[1] * 2 // 3, u.shape[0] * 2 // 3), False, {interp})",
            {"u": Operand(PHOTOS, "bytes")},
        )
        for interp in range(4)
    ),
    Row(
        "image",
        "nd.image.resize(u, (u.shape[1] * 3 // 2, u.shape[0] * 3 // 2), False, 1)",
        {"u": Operand(PHOTOS, "bytes")},
    ),
    Row("image", "nd.image.to_tensor(u)", {"u": Operand(PHOTOS, "bytes")}),
    Row(
        "image",
        "nd.image.normalize(x, (0.4, 0.4, 0.4), (0.2, 0.2, 0.2))",
        {"x": Operand(((3, 32, 32), (3, 240, 320), (3, 600, 800)))},
    ),
    Row("image", "nd.image.flip_left_right(u)", {"u": Operand(PHOTOS, "bytes")}),
)
UPDATES = (
    Row("optimizer", "nd.sgd_update(x, y, lr=0.0, out=x)", TWO),
    Row("optimizer", "nd.sgd_mom_update(x, y, s, lr=0.0, out=x)", {**TWO, "s": X}),
    Row("optimizer", "nd.adam_update(x, y, s, t, lr=0.0, out=x)", {**TWO, "s": X, "t": Y}),
    Row("random", "nd.random.uniform(shape=x.shape)", MATRIX, "torch.rand(x.shape)"),
    Row("random", "nd.random.normal(shape=x.shape)", MATRIX, "torch.randn(x.shape)"),
    Row("random", "nd.random.multinomial(y / y.sum(axis=1, keepdims=True))", {"y": Y}),
)

LAYER_CALLS = (*PRODUCTS, *CONVOLUTIONS, *LAYERS, *VISION, *UPDATES)

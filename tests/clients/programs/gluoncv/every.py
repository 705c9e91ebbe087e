"""Every other name of GluonCV's zoo: eager and hybridized; or why no network can be built of it."""

import re
from functools import partial
from typing import Any
from unittest.mock import patch

from gluoncv import model_zoo
from gluoncv.model_zoo.rcnn.faster_rcnn.faster_rcnn import custom_faster_rcnn_fpn

from tests.clients.fingerprints import arrays
from tests.clients.forms import compare
from tests.clients.formula import PERIOD, filled
from tests.clients.program import Checks
from tests.clients.programs.gluoncv.integers import NAMES as INTEGERS
from tests.clients.programs.gluoncv.zoo import (
    REGIONS,
    SMALLEST,
    built,
    few_regions,
    picture,
    regions,
)

SEGMENTS = "^(inceptionv[13]|resnet\\d+_v1b|vgg16)_(custom|hmdb51|kinetics400|sthsthv2|ucf101)$"
"""Names whose networks begin with the downloaded weights of an image's network, whatever
`pretrained_base` says: the zoo ignores it, or moves weights that nobody made. Their classes do not,
and run in ``zoo.py``."""
QUANTIZED = "_int8$"
"""Names that build the network in 32 bits first, with downloaded weights; ``integers.py`` has those
that do not need them."""
LARGE = "^(c3d|densenet|inceptionv3|p3d|residualattention|slowfast|ssd)|net452$|_gn$"
"""Run eagerly alone: another call takes seconds, or, of group normalization, fails on MXNet."""
DEEP = "residualattentionnet(200|236|452)$"
"""Networks whose outputs follow the last digits of what is inside, unless their layers add less."""


def checks(side: str) -> Checks:
    """All names of the zoo that are not run otherwise."""
    del side
    elsewhere = {*SMALLEST, *REGIONS, *INTEGERS, "siamrpn_alexnet_v2_otb15"}
    names = sorted({*model_zoo.get_model_list()} - elsewhere)
    found: Checks = {
        name: partial(refused if re.search(f"{SEGMENTS}|{QUANTIZED}", name) else run, name)
        for name in names
    }
    return found | {"custom_faster_rcnn_fpn": shadowed}


def run(name: str) -> Any:
    """What a network gives."""
    options: dict[str, Any] = {}
    if re.match(".*_custom$|custom_", name) and not re.match("i3d|slowfast", name):
        options["classes"] = ["dog", "cat"]
    elif re.match("i3d_resnet50_v1_(custom|hmdb51|ucf101)|slowfast.*custom", name):
        options["use_kinetics_pretrain"] = False
    net, image = built(name, **options), picture(name)
    if "rcnn" in name:
        return regions(few_regions(net), image)
    if re.search(DEEP, name):
        net(image)  # scales have shapes from here on
        for scale in net.collect_params(".*gamma").values():
            scale.set_data(scale.data() / 2)
    eager = [*arrays(net(image))]
    if not re.search(LARGE, name):
        net.hybridize()
        compare("hybridized", [*arrays(net(image))], eager)
    return eager


def shadowed() -> Any:
    """The zoo has the second of two functions of this name, whose network cannot run; the first."""
    name = "custom_faster_rcnn_fpn"
    image, classes = picture(name), ["dog", "cat"]
    error = failure(built(name, classes=classes), image)
    net = custom_faster_rcnn_fpn(classes, pretrained_base=False)
    return [type(error).__name__, regions(few_regions(filled(net, period=PERIOD)), image)]


def refused(name: str) -> Any:
    """The file without which there is no network of this name, and whether options help."""
    get = partial(model_zoo.get_model, name, pretrained=False)
    with patch("socket.getaddrinfo", side_effect=OSError("no network")):
        errors = [failure(get), failure(get, pretrained_base=False)]
    files = [re.findall(r"/models/([\w.]+-\w+)\.zip", str(error)) for error in errors]
    # Without weights of the base, either the same file is missing, or no weights can be moved.
    return [files[0][0], files[1] == files[0] or isinstance(errors[1], ValueError)]


def failure(call: Any, *args: Any, **options: Any) -> Exception:
    """What a call raises."""
    try:
        call(*args, **options)
    except Exception as error:  # whatever the program raises
        return error
    raise AssertionError(f"{call} works")

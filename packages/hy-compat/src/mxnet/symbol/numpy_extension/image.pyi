from hy_symbol.sym.npx.image import *
from hy_symbol.sym.npx.image import adjust_lighting as adjust_lighting
from hy_symbol.sym.npx.image import crop as crop
from hy_symbol.sym.npx.image import flip_left_right as flip_left_right
from hy_symbol.sym.npx.image import flip_top_bottom as flip_top_bottom
from hy_symbol.sym.npx.image import normalize as normalize
from hy_symbol.sym.npx.image import random_brightness as random_brightness
from hy_symbol.sym.npx.image import random_color_jitter as random_color_jitter
from hy_symbol.sym.npx.image import random_contrast as random_contrast
from hy_symbol.sym.npx.image import random_flip_left_right as random_flip_left_right
from hy_symbol.sym.npx.image import random_flip_top_bottom as random_flip_top_bottom
from hy_symbol.sym.npx.image import random_hue as random_hue
from hy_symbol.sym.npx.image import random_lighting as random_lighting
from hy_symbol.sym.npx.image import random_saturation as random_saturation
from hy_symbol.sym.npx.image import resize as resize
from hy_symbol.sym.npx.image import to_tensor as to_tensor

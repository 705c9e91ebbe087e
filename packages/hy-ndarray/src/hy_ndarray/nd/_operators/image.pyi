# Written by `hatch run stubs` from the operator catalogue.


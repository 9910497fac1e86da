"""Translates an ONNX graph into the short program that `crates/ocr` runs, and writes it.

A program is a list of steps on grids of height x width x channels, channels next to each other. A file is text, one step
a line, an empty line, and then the weights in the order of the steps:

    conv OUT IN CHANNELS>CHANNELS HEIGHTxWIDTH/DOWNxACROSS TOP,LEFT,BOTTOM,RIGHT ACTIVATION int8|float
    depthwise OUT IN CHANNELS HEIGHTxWIDTH/DOWNxACROSS TOP,LEFT,BOTTOM,RIGHT ACTIVATION
    mix OUT IN CHANNELS>HIDDEN>CHANNELS ACTIVATION replace|add      two convolutions 1x1; `add` adds what came in
    activate OUT IN ACTIVATION
    mean OUT IN                                                     over height and width
    gate OUT IN GATE 0|1                                            channels times gate, or times one plus gate
    add OUT IN IN
    join OUT IN IN..                                                channels one behind another
    largest OUT IN                                                  of 2x2, each place
    average OUT IN HEIGHTxWIDTH
    repeat OUT IN TIMES                                             each place so often down and across
    spread OUT IN                                                   four groups of channels become 2x2 places
    normalise OUT IN CHANNELS EPSILON
    attend OUT IN CHANNELS HEADS                                    queries, keys, values one behind another
    output IN NAME

Weights are little endian. A convolution has `HEIGHT * WIDTH * IN` rows of `OUT` numbers (8-bit integers, then a float per
output channel that scales them; or floats), then `OUT` floats to add. A `mix` has that twice. `depthwise` has
`HEIGHT * WIDTH` rows of floats and one to add, `normalise` two rows. ACTIVATION is `none`, `relu`, `gelu`, `sigmoid`,
`swish`, `hardswish` or `hardsigmoid:SLOPE`.
"""

import dataclasses

import numpy

# Smaller ones gain nothing from 8 bits.
SMALLEST_QUANTISED = 512


@dataclasses.dataclass
class Step:
    kind: str
    inputs: list
    weight: numpy.ndarray = None  # rows x output channels
    bias: numpy.ndarray = None
    window: str = "1x1/1x1 0,0,0,0"
    activation: str = "none"
    more: str = ""
    second: "Step" = None  # of a mix
    source: tuple = None  # the name of its weights in the graph, and how its rows become them
    factor: numpy.ndarray = 1.0  # by which those were multiplied, for each output channel

    def affine(self, factor, shift):
        self.weight, self.factor = (self.weight * factor).astype("float32"), self.factor * factor
        self.bias = (self.bias * factor + shift).astype("float32")


class Translator:
    """Walks from the outputs back; each value becomes the number of a step."""

    def __init__(self, graph, weights):
        self.graph, self.weights = graph, weights
        self.producers = {name: node for node in graph.node for name in node.output}
        self.steps, self.known = [None], {graph.input[0].name: 0}
        self.outputs = {output.name: self.value(output.name) for output in graph.output}

    def emit(self, *arguments, **named):
        self.steps.append(Step(*arguments, **named))
        return len(self.steps) - 1

    def value(self, name):
        if name not in self.known:
            self.known[name] = self.translate(self.producers[name])
        return self.known[name]

    def producer(self, name, kind):
        node = self.producers.get(name)
        return node if node is not None and node.op_type == kind else None

    def constant(self, names):
        """(the input that is not a constant, the constant), or (None, None)."""
        fixed = [name for name in names if name in self.weights]
        moving = [name for name in names if name not in self.weights]
        return (moving[0], self.weights[fixed[0]]) if len(fixed) == 1 and len(moving) == 1 else (None, None)

    def translate(self, node):
        known = getattr(self, "on_" + node.op_type.lower(), None)
        if known is None:
            raise SystemExit(f"error: cannot translate `{node.op_type}`; add it to program.py")
        return known(node, {attribute.name: attribute for attribute in node.attribute})

    def same(self, node, _):
        """In this layout only the shape of the tensor would change."""
        return self.value(node.input[0])

    on_squeeze = on_unsqueeze = on_transpose = on_reshape = on_identity = same

    def on_conv(self, node, attributes):
        weight = self.weights[node.input[1]]
        out, into, height, width = weight.shape
        bias = self.weights[node.input[2]] if len(node.input) > 2 else numpy.zeros(out, "float32")
        down, across = attributes["strides"].ints
        if "auto_pad" in attributes and attributes["auto_pad"].s == b"SAME_UPPER":
            assert (down, across) == (1, 1)
            pads = [(height - 1) // 2, (width - 1) // 2, height // 2, width // 2]
        else:
            pads = attributes["pads"].ints
        window = f"{height}x{width}/{down}x{across} {','.join(map(str, pads))}"
        groups = attributes["group"].i if "group" in attributes else 1
        rows = weight.transpose(2, 3, 1, 0).reshape(-1, out)
        if groups == 1:
            source = node.input[1], lambda rows: rows.reshape(height, width, into, out).transpose(3, 2, 0, 1)
            return self.emit("conv", [self.value(node.input[0])], rows, bias, window, source=source)
        assert groups == out and into == 1
        return self.emit("depthwise", [self.value(node.input[0])], rows, bias, window)

    def on_convtranspose(self, node, _):
        weight = self.weights[node.input[1]]
        into, out, height, width = weight.shape
        assert (height, width) == (2, 2)
        rows = weight.transpose(0, 2, 3, 1).reshape(into, -1)
        source = node.input[1], lambda rows: rows.reshape(into, height, width, out).transpose(0, 3, 1, 2)
        flat = self.emit("conv", [self.value(node.input[0])], rows, numpy.zeros(4 * out, "float32"), source=source)
        return self.emit("spread", [flat])

    def on_matmul(self, node, _):
        weight = self.weights.get(node.input[1])
        if weight is not None:
            return self.emit("conv", [self.value(node.input[0])], weight, numpy.zeros(weight.shape[1], "float32"),
                             source=(node.input[1], lambda rows: rows))
        # Attention: the values come from a slice of the same tensor as queries and keys.
        assert self.producer(node.input[0], "Softmax")
        name = node.input[1]
        for kind in ("Squeeze", "Slice", "Transpose"):
            name = self.producer(name, kind).input[0]
        reshape = self.producer(name, "Reshape")
        _, _, three, heads, size = self.weights[reshape.input[1]]
        assert three == 3
        return self.emit("attend", [self.value(reshape.input[0])], more=f"{heads * size} {heads}")

    def per_channel(self, name, factor, shift):
        """A factor and a number to add for each channel, folded into the convolution before."""
        at = self.value(name)
        step = self.steps[at]
        if step.kind == "spread":
            step, factor, shift = self.steps[step.inputs[0]], numpy.tile(factor, 4), numpy.tile(shift, 4)
        assert step.kind in ("conv", "depthwise") and step.activation == "none"
        step.affine(factor.astype("float32"), shift.astype("float32"))
        return at

    def on_batchnormalization(self, node, attributes):
        gamma, beta, mean, variance = (self.weights[name] for name in node.input[1:5])
        factor = gamma / (variance + attributes["epsilon"].f) ** 0.5
        return self.per_channel(node.input[0], factor, beta - mean * factor)

    def on_add(self, node, _):
        name, value = self.constant(node.input)
        if name is None:
            return self.on_add_of_two(node)
        if (product := self.producer(name, "Mul")) is not None and (found := self.normalised(product)):
            source, epsilon, factor = found
            return self.emit("normalise", [self.value(source)], factor.reshape(1, -1), value.reshape(-1), more=epsilon)
        return self.per_channel(name, numpy.ones(value.size), value.reshape(-1))

    def on_add_of_two(self, node):
        for plain, gated in (node.input, reversed(node.input)):
            product = self.producer(gated, "Mul")
            if product is not None and plain in product.input:
                gate = next(name for name in product.input if name != plain)
                return self.emit("gate", [self.value(plain), self.value(gate)], more="1")
        return self.emit("add", [self.value(name) for name in node.input])

    def normalised(self, product):
        """`(x - mean) / sqrt(variance + epsilon) * factor`: x, epsilon and factor."""
        name, factor = self.constant(product.input)
        quotient = self.producer(name, "Div") if name else None
        root = self.producer(quotient.input[1], "Sqrt") if quotient is not None else None
        if root is None:
            return None
        _, epsilon = self.constant(self.producer(root.input[0], "Add").input)
        return self.producer(quotient.input[0], "Sub").input[0], f"{float(epsilon):g}", factor

    def on_mul(self, node, _):
        name, value = self.constant(node.input)
        if name is not None:  # gelu: x * (erf(x / sqrt 2) + 1) * 0.5
            assert float(value) == 0.5
            inner = self.producer(name, "Mul")
            source = next(n for n in inner.input if self.producer(n, "Add") is None or not self.is_erf(n))
            return self.activated(source, "gelu")
        left, right = node.input
        for plain, curve in ((left, right), (right, left)):
            for kind, activation in (("Sigmoid", "swish"), ("HardSigmoid", "hardswish")):
                squashed = self.producer(curve, kind)
                if squashed is not None and squashed.input[0] == plain:
                    return self.activated(plain, activation)
        gate = right if self.producer(right, "HardSigmoid") is not None else left
        return self.emit("gate", [self.value(left if gate == right else right), self.value(gate)], more="0")

    def is_erf(self, name):
        return any(self.producer(part, "Erf") is not None for part in self.producers[name].input)

    def activated(self, name, activation):
        """Activations become part of the convolution before, unless somebody wants it without."""
        at = self.value(name)
        step = self.steps[at]
        target = self.steps[step.inputs[0]] if step.kind == "spread" else step
        if target.kind in ("conv", "depthwise") and target.activation == "none":
            target.activation = activation
            return at
        return self.emit("activate", [at], activation=activation)

    def on_relu(self, node, _):
        return self.activated(node.input[0], "relu")

    def on_sigmoid(self, node, _):
        return self.activated(node.input[0], "sigmoid")

    def on_hardsigmoid(self, node, attributes):
        assert attributes["beta"].f == 0.5
        return self.activated(node.input[0], f"hardsigmoid:{attributes['alpha'].f:.9g}")

    def on_reducemean(self, node, attributes):
        assert list(attributes["axes"].ints) == [2, 3]
        return self.on_globalaveragepool(node, attributes)

    def on_globalaveragepool(self, node, _):
        return self.emit("mean", [self.value(node.input[0])])

    def on_maxpool(self, node, attributes):
        assert list(attributes["kernel_shape"].ints) == [2, 2] and list(attributes["strides"].ints) == [1, 1]
        return self.emit("largest", [self.value(node.input[0])])

    def on_averagepool(self, node, attributes):
        height, width = attributes["kernel_shape"].ints
        assert list(attributes["strides"].ints) == [height, width]
        return self.emit("average", [self.value(node.input[0])], more=f"{height}x{width}")

    def on_resize(self, node, _):
        _, _, down, across = self.weights[node.input[2]]
        assert down == across
        return self.emit("repeat", [self.value(node.input[0])], more=str(int(down)))

    def on_concat(self, node, _):
        return self.emit("join", [self.value(name) for name in node.input])


def users(steps, outputs):
    count = [0] * len(steps)
    for step in steps[1:]:
        for at in step.inputs if step else []:
            count[at] += 1
    for at in outputs.values():
        count[at] += 1
    return count


def mixed(steps, outputs):
    """A convolution 1x1 after another, and the sum with what came in, are one step."""
    count = users(steps, outputs)
    plain = Step("conv", []).window

    def is_dense(step):
        return step is not None and step.kind == "conv" and step.window == plain

    for at, step in enumerate(steps):
        if is_dense(step) and step.activation == "none" and is_dense(first := steps[step.inputs[0]]) \
                and count[step.inputs[0]] == 1 and first.activation != "none":
            steps[step.inputs[0]] = None
            steps[at] = Step("mix", first.inputs, activation=first.activation, more="replace", second=step,
                             weight=first.weight, bias=first.bias, source=first.source, factor=first.factor)
    for at, step in enumerate(steps):
        if step is not None and step.kind == "add":
            for residual, branch in (step.inputs, reversed(step.inputs)):
                found = steps[branch]
                if found is not None and found.kind == "mix" and found.inputs == [residual] and count[branch] == 1:
                    found.more, steps[branch], steps[at] = "add", None, found
                    break


def in_eight_bits(weight):
    scale = numpy.maximum(numpy.abs(weight).max(axis=0), 1e-12) / 127
    return numpy.rint(weight / scale).astype("int8"), scale


def numbers(step, quantise):
    if not quantise or step.weight.size < SMALLEST_QUANTISED:
        return "float", step.weight.astype("<f4").tobytes() + step.bias.astype("<f4").tobytes()
    rounded, scale = in_eight_bits(step.weight)
    return "int8", rounded.tobytes() + scale.astype("<f4").tobytes() + step.bias.astype("<f4").tobytes()


def rounded_weights(network):
    """The weights of a graph as they are after the loss of going through 8 bits, by name."""
    translator = Translator(network.graph, network.weights)
    steps = translator.steps
    mixed(steps, translator.outputs)
    weights = dict(network.weights)
    for step in [part for step in steps if step is not None for part in (step, step.second) if part is not None]:
        if step.source is None or step.weight.size < SMALLEST_QUANTISED:
            continue
        (name, restored), (whole, scale) = step.source, in_eight_bits(step.weight)
        # Channels that were multiplied by nothing stay as they are: they come to nothing either way.
        factor = numpy.broadcast_to(step.factor, scale.shape)
        weights[name] = restored(numpy.where(factor == 0, 0, whole * scale / numpy.where(factor == 0, 1, factor))).astype(
            "float32")
    return weights


def line(step, at, names, channels, quantise):
    """The text of a step and its weights; `channels` of each value are known up to here."""
    head = " ".join([step.kind, str(names[at]), *(str(names[i]) for i in step.inputs)])
    into = channels[step.inputs[0]]
    channels[at] = into
    if step.kind == "conv":
        kind, data = numbers(step, quantise)
        channels[at] = step.weight.shape[1]
        return f"{head} {into}>{channels[at]} {step.window} {step.activation} {kind}", data
    if step.kind == "mix":
        hidden, channels[at] = step.weight.shape[1], step.second.weight.shape[1]
        (kind, data), (other, more) = numbers(step, quantise), numbers(step.second, quantise)
        assert kind == other
        return f"{head} {into}>{hidden}>{channels[at]} {step.activation} {step.more} {kind}", data + more
    if step.kind == "depthwise":
        data = step.weight.astype("<f4").tobytes() + step.bias.astype("<f4").tobytes()
        return f"{head} {into} {step.window} {step.activation}", data
    if step.kind == "normalise":
        data = step.weight.astype("<f4").tobytes() + step.bias.astype("<f4").tobytes()
        return f"{head} {into} {step.more}", data
    if step.kind == "join":
        channels[at] = sum(channels[i] for i in step.inputs)
    elif step.kind == "spread":
        channels[at] = into // 4
    elif step.kind == "attend":
        channels[at] = into // 3
    elif step.kind == "activate":
        return f"{head} {step.activation}", b""
    return f"{head} {step.more}".rstrip(), b""


def write(network, path, quantise=True, only_output=None):
    """`only_output` is a better name for the output of a network that has one."""
    translator = Translator(network.graph, network.weights)
    steps, outputs = translator.steps, translator.outputs
    if only_output:
        (at,) = outputs.values()
        outputs = {only_output: at}
    mixed(steps, outputs)
    kept = [at for at, step in enumerate(steps) if step is not None]
    names = {0: 0} | {at: index for index, at in enumerate(kept, 1)}
    channels, lines, data = {0: 3}, [], []
    for at in kept:
        text, weights = line(steps[at], at, names, channels, quantise)
        lines.append(text)
        data.append(weights)
    lines += [f"output {names[at]} {name}" for name, at in outputs.items()]
    path.write_bytes(("\n".join(lines) + "\n\n").encode() + b"".join(data))

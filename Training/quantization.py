"""Which values go through a network's convolutions, for them to be rounded to 8 bits."""

import numpy as np
import openvino


def is_of_all_channels(node):
    """Whether it is a convolution, each of whose outputs is of all of its inputs."""
    return node.op_type == "Conv" and all(part.name != "group" or part.i == 1 for part in node.attribute)


def ranges(model, names, batches):
    """Lowest and highest value of the tensors `names` of an ONNX model in the mean over `batches`, but for the few outermost."""
    reader = openvino.Core().read_model(model.SerializeToString())
    reader.add_outputs(names)
    compiled = openvino.Core().compile_model(reader, "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    found = {name: [] for name in names}
    for inputs in batches:
        results = compiled(inputs)
        for name in names:
            found[name].append(np.quantile(results[name], (0.00002, 0.99998)))
    # Zero, which surrounds pictures, is one of the values.
    means = {name: np.mean(pairs, 0) for name, pairs in found.items()}
    return {name: (min(0.0, float(low)), max(0.0, float(high))) for name, (low, high) in means.items()}

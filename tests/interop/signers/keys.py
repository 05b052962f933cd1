"""Key files of the signature tests: private keys in PEM, and one JWK set with the public halves."""

import json
import pathlib

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm

ALGORITHMS = ("ES256", "ES384", "EdDSA", "RS256", "PS256")


def generate(folder: pathlib.Path) -> None:
    """Writes ALGORITHM.pem for each algorithm, named by the key id of the same name, and jwks.json."""
    modulus = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    keys = {
        "ES256": (ec.generate_private_key(ec.SECP256R1()), ECAlgorithm),
        "ES384": (ec.generate_private_key(ec.SECP384R1()), ECAlgorithm),
        "EdDSA": (ed25519.Ed25519PrivateKey.generate(), OKPAlgorithm),
        "RS256": (modulus, RSAAlgorithm),
        "PS256": (modulus, RSAAlgorithm),
    }
    public = []
    for algorithm, (key, kind) in keys.items():
        pem = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (folder / f"{algorithm}.pem").write_bytes(pem)
        jwk = json.loads(kind.to_jwk(key.public_key()))
        public.append({key: value for key, value in jwk.items() if key != "key_ops"} | {"kid": algorithm, "alg": algorithm})
    (folder / "jwks.json").write_text(json.dumps({"keys": public}, indent=1) + "\n")

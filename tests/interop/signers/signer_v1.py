"""Signs and verifies cards with the official Python SDK 1.x: `sign KEY.pem ALGORITHM` and `verify JWKS.json`, card on standard input."""

import json
import pathlib
import sys

from a2a.client.card_resolver import parse_agent_card
from a2a.utils.signing import SignatureVerificationError, create_agent_card_signer, create_signature_verifier
from google.protobuf.json_format import MessageToDict
from jwt import PyJWK

ACCEPTED = ["ES256", "ES384", "EdDSA", "RS256", "PS256"]


def key_named(jwks: str, kid: str | None) -> PyJWK:
    keys = json.loads(pathlib.Path(jwks).read_text())["keys"]
    return PyJWK.from_dict(next(key for key in keys if key["kid"] == kid))


def main() -> int:
    card = parse_agent_card(json.load(sys.stdin))
    match sys.argv[1:]:
        case ["sign", key, algorithm]:
            header = {"alg": algorithm, "kid": algorithm, "typ": "JOSE"}
            sign = create_agent_card_signer(pathlib.Path(key).read_text(), header)
            json.dump(MessageToDict(sign(card)), sys.stdout, indent=1)
            return 0
        case ["verify", jwks]:
            try:
                create_signature_verifier(lambda kid, jku: key_named(jwks, kid), ACCEPTED)(card)
            except SignatureVerificationError as error:
                print(error, file=sys.stderr)
                return 1
            return 0
    print(__doc__, file=sys.stderr)
    return 2


sys.exit(main())

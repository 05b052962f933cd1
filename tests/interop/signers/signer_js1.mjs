// Signs and verifies cards with the official JavaScript SDK 1.x: `sign KEY.pem ALGORITHM`, `verify JWKS.json` and
// `numbers`, which writes JSON numbers as JavaScript does; the card or list is on standard input.
import { readFileSync } from "node:fs";
import { AgentCard, generateAgentCardSignature, verifyAgentCardSignature } from "@a2a-js/sdk";
import { importJWK, importPKCS8 } from "jose";

const [action, file, algorithm] = process.argv.slice(2);
const input = JSON.parse(readFileSync(0, "utf8"));

if (action === "sign") {
  const key = await importPKCS8(readFileSync(file, "utf8"), algorithm);
  const sign = generateAgentCardSignature(key, { alg: algorithm, kid: algorithm, typ: "JOSE" });
  // The SDK signs cards as JSON: fed an instance of its own it forgets the security schemes (a2a-js 663).
  const { signatures } = await sign(input);
  console.log(JSON.stringify({ ...AgentCard.toJSON(AgentCard.fromJSON(input)), signatures }, null, 1));
} else if (action === "verify") {
  const { keys } = JSON.parse(readFileSync(file, "utf8"));
  console.debug = () => {};
  const verify = verifyAgentCardSignature(async (kid) => {
    const jwk = keys.find((key) => key.kid === kid);
    return importJWK(jwk, jwk.alg);
  });
  await verify(input).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
} else if (action === "numbers") {
  console.log(JSON.stringify(input));
} else {
  console.error("sign KEY.pem ALGORITHM | verify JWKS.json | numbers");
  process.exitCode = 2;
}

// A real authorization server (oidc-provider), and what only a test needs: tokens that it would never issue. Prints its issuer.
// POST /test/sign signs a header and claims by one of its keys, or by the public key as a secret; POST /test/rotate gives it other keys.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import http from "node:http";
import path from "node:path";

const require = createRequire(path.join(process.env.HANDEYE_OAUTH_MODULES, "x.js"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const jose = await load("jose");
const { Provider } = await load("oidc-provider");

let generation = 0;

async function makeKeys() {
  const made = {};
  generation += 1;
  for (const alg of ["RS256", "ES256"]) {
    const { privateKey, publicKey } = await jose.generateKeyPair(alg, { extractable: true });
    const kid = `${alg}-${generation}`;
    const jwk = { ...(await jose.exportJWK(privateKey)), kid, alg, use: "sig" };
    made[alg] = { kid, privateKey, jwk, pem: await jose.exportSPKI(publicKey) };
  }
  return made;
}

let keys = await makeKeys();
let provider;
let issuer;

function make() {
  const scope = "read act files clipboard script";
  provider = new Provider(issuer, {
    jwks: { keys: Object.values(keys).map((key) => key.jwk) },
    clients: ["agent", "other"].map((name) => ({ client_id: name, client_secret: `secret-of-${name}`,
      grant_types: ["client_credentials"], redirect_uris: [], response_types: [] })),
    scopes: scope.split(" "),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (context, indicator) => ({ scope, audience: indicator, accessTokenFormat: "jwt",
          accessTokenTTL: 600, jwt: { sign: { alg: "RS256" } } }),
      },
    },
    // The token of a client that acts for itself: it is the subject (RFC 9068, 2.2).
    formats: { customizers: { jwt: (context, token, jwt) => { jwt.payload.sub ??= token.clientId; } } },
  });
  provider.on("server_error", (context, fault) => console.error(fault));
}

async function body(request) {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text ? JSON.parse(text) : {};
}

async function sign({ header, claims, key = "RS256" }) {
  const own = keys[key];
  const made = { alg: key, kid: own.kid, typ: "at+jwt", ...header };
  const part = (value) => jose.base64url.encode(JSON.stringify(value));
  if (made.alg === "none") return `${part(made)}.${part(claims)}.`;
  const secret = made.alg.startsWith("HS") ? new TextEncoder().encode(own.pem) : own.privateKey;
  return new jose.SignJWT(claims).setProtectedHeader(made).sign(secret);
}

const server = http.createServer(async (request, response) => {
  try {
    if (request.url === "/test/sign") {
      response.end(await sign(await body(request)));
    } else if (request.url === "/test/rotate") {
      keys = await makeKeys();
      make();
      response.end("rotated");
    } else {
      await provider.callback()(request, response);
    }
  } catch (fault) {
    response.statusCode = 500;
    response.end(String(fault));
  }
});
server.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  issuer = `http://127.0.0.1:${server.address().port}`;
  make();
  console.log(issuer);
});

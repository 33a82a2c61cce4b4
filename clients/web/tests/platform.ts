import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** A running `causeway up` on ports and a folder of its own. */
export interface Platform {
  /** Address of its public port, for example `http://localhost:40123`. */
  readonly address: string;
  /** Address of the host of its demo repository. */
  readonly git: string;
  /** API key of the administrator. */
  readonly key: string;
  /** Creates an object in the cluster of its sandbox. */
  create(path: string, object: object): Promise<void>;
  /** Starts a second runtime, which joins under this name. */
  join(name: string): Promise<JoinedRuntime>;
  /** Ends it without a chance to tidy up. */
  kill(): Promise<void>;
  /** Starts it again with the same address and data. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** A runtime in a process of its own. */
export interface JoinedRuntime {
  /** Ends it as a machine that is switched off. */
  kill(): Promise<void>;
}

const BINARY = process.env["CAUSEWAY_BINARY"] ?? resolve("../../target/debug/causeway");
const RUNTIME_PORTS = ["--kube-listen", "--git-listen", "--argocd-listen"];
const OTHER_PORTS = ["--tunnel-listen", ...RUNTIME_PORTS];
// Below the ports that the system gives to outgoing connections, which could take one before the platform does.
const LOWEST_PORT = 20_000;
const PORTS = 10_000;
const START_TIMEOUT_MS = 60_000;

/** Starts a platform with one runtime on the sandbox, and waits until it is ready. */
export async function startPlatform(): Promise<Platform> {
  const folder = await mkdtemp(join(tmpdir(), "causeway-web-"));
  const [listen, ...others] = await Promise.all(["", ...OTHER_PORTS].map(freeAddress));
  let child = run(folder, listen!, others);
  const joined: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all([child, ...joined].map((each) => end(each, "SIGTERM")));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const address = await addressOf(child);
    const key = (await readFile(join(folder, "data", "platform", "admin.key"), "utf8")).trim();
    const git = `http://${others[OTHER_PORTS.indexOf("--git-listen")]}`;
    const create = async (path: string, object: object) => createObject(await readFile(join(folder, "data", "kubeconfig"), "utf8"), path, object);
    const joinRuntime = async (name: string) => {
      const token = join(folder, `${name}.token`);
      await writeFile(token, await joinToken(address, key, name));
      const runtime = await runRuntime(join(folder, name), address, token);
      joined.push(runtime);
      return { kill: () => end(runtime, "SIGKILL") };
    };
    const kill = () => end(child, "SIGKILL");
    const startAgain = async () => {
      child = run(folder, listen!, others);
      await addressOf(child);
    };
    // Browsers treat localhost as a secure origin, as the session cookie requires.
    return { address: address.replace("127.0.0.1", "localhost"), key, git, create, join: joinRuntime, kill, startAgain, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Finds an address that nothing listens on. */
async function freeAddress(): Promise<string> {
  for (;;) {
    const port = LOWEST_PORT + Math.floor(Math.random() * PORTS);
    const server = createServer();
    const isFree = await new Promise<boolean>((done) => {
      server.once("error", () => done(false));
      server.listen(port, "127.0.0.1", () => server.close(() => done(true)));
    });
    if (isFree) return `127.0.0.1:${port}`;
  }
}

function run(folder: string, listen: string, addresses: string[]): ChildProcess {
  const others = OTHER_PORTS.flatMap((flag, at) => [flag, addresses[at]!]);
  const files = ["--data", join(folder, "data"), "--config", join(folder, "config")];
  return spawn(BINARY, ["up", ...files, "--listen", listen, ...others], { stdio: ["ignore", "pipe", "pipe"] });
}

/** Starts a runtime alone, and waits until it is ready. */
async function runRuntime(data: string, platform: string, token: string): Promise<ChildProcess> {
  const addresses = await Promise.all(RUNTIME_PORTS.map(async (flag) => [flag, await freeAddress()]));
  const child = spawn(BINARY, ["up", "--join", platform, "--join-token-file", token, "--data", data, ...addresses.flat()], { stdio: ["ignore", "pipe", "pipe"] });
  await lineOf(child, /^\s*platform\s+(http:\S+)$/m);
  return child;
}

async function joinToken(address: string, key: string, runtime: string): Promise<string> {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const body = JSON.stringify({ runtime, requestId: crypto.randomUUID() });
  const answer = await fetch(`${address}/v1/joinTokens`, { method: "POST", headers, body });
  return ((await answer.json()) as { token: string }).token;
}

/** Makes an object by the API server that a kubeconfig names. */
function createObject(kubeconfig: string, path: string, object: object): Promise<void> {
  const field = (name: string) => new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? "";
  const ca = Buffer.from(field("certificate-authority-data"), "base64");
  const headers = { authorization: `Bearer ${field("token")}`, "content-type": "application/json" };
  return new Promise((done, failed) => {
    const call = request(new URL(path, field("server")), { method: "POST", ca, headers }, (answer) => {
      answer.resume();
      if (answer.statusCode === 201) done();
      else failed(new Error(`${path}: ${answer.statusCode}`));
    });
    call.once("error", failed);
    call.end(JSON.stringify(object));
  });
}

/** Waits for the line that tells the address. */
function addressOf(child: ChildProcess): Promise<string> {
  return lineOf(child, /^\s*address\s+(http:\S+)$/m);
}

/** Waits until a process is ready, and returns what a line of it tells. */
function lineOf(child: ChildProcess, line: RegExp): Promise<string> {
  let text = "";
  return new Promise((found, failed) => {
    const fail = (why: string) => failed(new Error(`${BINARY}: ${why}\n${text}`));
    const late = setTimeout(() => fail("is not ready in time"), START_TIMEOUT_MS);
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const address = line.exec(text)?.[1];
      if (address === undefined || !text.includes("Ctrl-C stops")) return;
      clearTimeout(late);
      found(address);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => fail(error.message));
    child.once("exit", (code) => fail(`ended with ${code}`));
  });
}

function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  child.kill(signal);
  return ended;
}

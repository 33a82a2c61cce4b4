export interface Parameters {
  parameters: { name: string; value: string }[];
  /** What is wrong with the text. */
  error: string | undefined;
}

const MOST = 100;

/** Reads one NAME=VALUE a line; a value may hold further equal signs. */
export function parseParameters(text: string): Parameters {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const parameters = lines.map((line) => {
    const [name = "", ...rest] = line.split("=");
    return { name: name.trim(), value: rest.join("=").trim() };
  });
  const wrong = lines.find((line, index) => !line.includes("=") || parameters[index]?.name === "");
  if (wrong !== undefined) return { parameters, error: `Write NAME=VALUE in place of "${wrong.trim()}".` };
  return { parameters, error: lines.length > MOST ? `At most ${MOST} parameters.` : undefined };
}

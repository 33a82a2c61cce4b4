import type { ITheme } from "@xterm/xterm";

const light: ITheme = {
  background: "#ffffff", foreground: "#14171d", cursor: "#2a54d6", cursorAccent: "#ffffff", selectionBackground: "#cddafb",
  black: "#14171d", red: "#bd2a2a", green: "#12703f", yellow: "#855500", blue: "#2a54d6", magenta: "#9a2c86", cyan: "#0b6e7f", white: "#596273",
  brightBlack: "#596273", brightRed: "#a32020", brightGreen: "#0f5f35", brightYellow: "#6f4700", brightBlue: "#2346b4", brightMagenta: "#802570", brightCyan: "#095c6a", brightWhite: "#14171d",
};

const dark: ITheme = {
  background: "#0c0e12", foreground: "#e9ecf1", cursor: "#8fabff", cursorAccent: "#0c0e12", selectionBackground: "#2c4379",
  black: "#6b7484", red: "#ff8585", green: "#4cc38a", yellow: "#f0b429", blue: "#8fabff", magenta: "#e58fd6", cyan: "#5fc9d8", white: "#e9ecf1",
  brightBlack: "#9aa4b4", brightRed: "#ffa3a3", brightGreen: "#7ad7a8", brightYellow: "#f6c95c", brightBlue: "#b1c4ff", brightMagenta: "#efb1e4", brightCyan: "#8adbe6", brightWhite: "#ffffff",
};

/** Returns the 16 colours of the shown theme. */
export function terminalTheme(): ITheme {
  const probe = getComputedStyle(document.documentElement).colorScheme;
  const isDark = probe === "dark" || (probe.includes("dark") && probe.includes("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  return isDark ? dark : light;
}

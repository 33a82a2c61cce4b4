const parts = /^(\s*(?:- )*)("(?:[^"\\]|\\.)*"|[\w./-]+)(:)(.*)$/;

/** One line of YAML with its key set apart; text that was redacted is marked. */
export function YamlLine({ text }: { text: string }) {
  const match = parts.exec(text);
  if (!match) return <Value text={text} />;
  const [, indent, name, colon, value = ""] = match;
  return (
    <>
      {indent}
      <span className="text-accent">{name}</span>
      <span className="text-dim">{colon}</span>
      <Value text={value} />
    </>
  );
}

function Value({ text }: { text: string }) {
  if (!text.includes("(redacted ")) return text;
  return <span className="rounded-control bg-unknown-fill text-unknown" title="Removed before it left its cluster; equal marks are equal values">{text}</span>;
}

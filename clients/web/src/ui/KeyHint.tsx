/** Keys of a shortcut, such as "g h" or "Ctrl K". They are drawn by CSS, so that they are no part of a control's name. */
export function KeyHint({ keys }: { keys: string }) {
  return (
    <span className="inline-flex gap-0.5" aria-hidden>
      {keys.split(" ").map((key, index) => (
        <kbd
          key={index}
          data-key={key}
          className="before:content-[attr(data-key)] inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-control border border-edge bg-panel px-1 font-sans text-[11px] leading-none text-dim"
        />
      ))}
    </span>
  );
}

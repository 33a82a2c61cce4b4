import type { ReactNode } from "react";
import type { Shape } from "@/words";

const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.6, strokeLinecap: "round", strokeLinejoin: "round" } as const;

/** The drawings of states, each in a box of 12 by 12. */
export const shapes: Record<Shape, ReactNode> = {
  disc: <circle cx="6" cy="6" r="4.5" fill="currentColor" />,
  half: (
    <g className="origin-center animate-turn">
      <circle cx="6" cy="6" r="4.6" {...line} />
      <path d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" fill="currentColor" />
    </g>
  ),
  triangle: <path d="M6 1.2 11.2 10.4H.8z" fill="currentColor" stroke="currentColor" strokeLinejoin="round" />,
  cross: <path d="m2.2 2.2 7.6 7.6m0-7.6-7.6 7.6" {...line} strokeWidth={2.2} />,
  bars: <path d="M3.8 2v8M8.2 2v8" {...line} strokeWidth={2.4} />,
  question: (
    <g>
      <circle cx="6" cy="6" r="5.1" {...line} strokeWidth={1.2} />
      <path d="M4.6 4.8c0-2 2.9-1.9 2.9-.2 0 1-1.4 1-1.4 2.2" {...line} strokeWidth={1.2} />
      <circle cx="6.1" cy="8.7" r=".75" fill="currentColor" />
    </g>
  ),
  "tick-ring": (
    <g {...line} strokeWidth={1.3}>
      <circle cx="6" cy="6" r="5" />
      <path d="m3.8 6.2 1.6 1.6 2.9-3.3" />
    </g>
  ),
  "split-ring": (
    <g>
      <path d="M5 1.1a5 5 0 0 0 0 9.8z" fill="currentColor" />
      <path d="M7.2 1.2a5 5 0 0 1 0 9.6" {...line} strokeWidth={1.4} />
    </g>
  ),
  "dashed-ring": <circle cx="6" cy="6" r="4.8" {...line} strokeDasharray="2.1 2.9" />,
  play: <path d="M3.2 1.8 9.8 6l-6.6 4.2z" fill="currentColor" stroke="currentColor" strokeLinejoin="round" />,
  clock: (
    <g {...line} strokeWidth={1.3}>
      <path d="M1.4 3.2 3 1.8M10.6 3.2 9 1.8" />
      <circle cx="6" cy="6.6" r="4.4" />
      <path d="M6 4.2v2.5l1.6 1" />
    </g>
  ),
  barred: (
    <g {...line}>
      <circle cx="6" cy="6" r="4.8" />
      <path d="m2.7 2.7 6.6 6.6" />
    </g>
  ),
};

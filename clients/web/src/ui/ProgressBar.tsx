import { Label, ProgressBar as Root } from "react-aria-components";

export interface ProgressBarProps {
  label: string;
  /** Hides the label from sight. */
  hideLabel?: boolean;
  /** 0 to 100. */
  percent: number;
  /** Beside the label, such as "3 of 5 pods". */
  text?: string;
}

/** A progress that is known. */
export function ProgressBar({ label, hideLabel, percent, text }: ProgressBarProps) {
  return (
    <Root value={percent} valueLabel={text ?? `${Math.round(percent)}%`} {...(hideLabel ? { "aria-label": label } : {})} className="flex flex-col gap-1">
      {({ percentage, valueText }) => (
        <>
          {!hideLabel && (
            <div className="flex justify-between text-label text-dim">
              <Label>{label}</Label>
              <span className="numbers">{valueText}</span>
            </div>
          )}
          <div className="h-1.5 overflow-hidden rounded-chip bg-line">
            <div className="h-full rounded-chip bg-accent" style={{ width: `${percentage ?? 0}%` }} />
          </div>
        </>
      )}
    </Root>
  );
}

import { Locate, Maximize, Minus, Plus } from "lucide-react";
import { Button, IconButton, Tooltip } from "@/ui";

interface ZoomButtonsProps {
  brokenCount: number;
  step: number;
  onZoom: (factor: number) => void;
  onFit: () => void;
  onBroken: () => void;
}

/** The buttons over the tree; each has a key, too. */
export function ZoomButtons({ brokenCount, step, onZoom, onFit, onBroken }: ZoomButtonsProps) {
  return (
    <div className="absolute right-2 bottom-2 flex items-center gap-1 rounded-card border border-line bg-raised p-1 shadow-float">
      {brokenCount > 0 && (
        <Button tone="quiet" icon={<Locate size={14} aria-hidden />} onPress={onBroken}>Next broken ({brokenCount})</Button>
      )}
      <Tooltip text="Zoom out (-)"><IconButton label="Zoom out" onPress={() => onZoom(1 / step)}><Minus size={14} aria-hidden /></IconButton></Tooltip>
      <Tooltip text="Zoom in (+)"><IconButton label="Zoom in" onPress={() => onZoom(step)}><Plus size={14} aria-hidden /></IconButton></Tooltip>
      <Tooltip text="Show all (0)"><IconButton label="Show all" onPress={onFit}><Maximize size={14} aria-hidden /></IconButton></Tooltip>
    </div>
  );
}

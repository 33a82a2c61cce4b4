import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent, type Ref, type RefObject } from "react";
import type { Layout, Placed } from "../model/layout";
import { isBroken } from "../model/resource";
import { ROOT, type TreeNode } from "../model/tree";
import { type Camera, centre, fit, isInside, keepInPlace, READABLE, type Rectangle, reveal, type Size, windowOf, zoomAt } from "./camera";
import { move } from "./move";
import { paint, readPalette } from "./paint";
import { boxId, TreeBox } from "./TreeBox";
import { useGestures } from "./useGestures";
import { ZoomButtons } from "./ZoomButtons";

export interface TreeCanvasProps {
  layout: Layout;
  /** The name of the application. */
  name: string;
  /** The box that the drawer shows. */
  selected: string | undefined;
  onPress: (node: TreeNode) => void;
}

const ZOOM_STEP = 1.25;

/** Draws a tree: edges on one canvas, boxes in the DOM for what is in view. */
export function TreeCanvas({ layout, name, selected, onPress }: TreeCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const tones = useRef<HTMLSpanElement>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, zoom: 1 });
  const size = useSize(frame);
  const [shown, setShown] = useState<{ window: Rectangle; isReadable: boolean }>();
  const [active, setActive] = useState<string>(ROOT);

  const draw = useCallback(() => {
    const [target, boxes, colours] = [canvas.current, layer.current, tones.current];
    if (!size || !target || !boxes || !colours) return;
    const window = windowOf(camera.current, size);
    boxes.style.transform = `translate(${camera.current.x}px, ${camera.current.y}px) scale(${camera.current.zoom})`;
    paint(target, layout, camera.current, size, window, readPalette(colours));
    const isReadable = camera.current.zoom >= READABLE;
    setShown((before) => (before && isEqual(before.window, window) && before.isReadable === isReadable ? before : { window, isReadable }));
  }, [layout, size]);

  const moveTo = useCallback((next: Camera) => {
    camera.current = next;
    requestAnimationFrame(draw);
  }, [draw]);

  useFirstView(layout, size, moveTo);
  useAnchor(layout, size, camera);
  useLayoutEffect(draw, [draw]);
  useThemeChange(draw);
  useGestures(frame, camera, moveTo);

  const boxes = useMemo(() => boxesInView(layout, shown, active), [layout, shown, active]);
  const broken = useMemo(() => layout.placed.filter(({ node }) => node.resource && isBroken(node.resource)), [layout]);
  const zoomBy = (factor: number) => size && moveTo(zoomAt(camera.current, factor, size.width / 2, size.height / 2));
  const showAll = () => size && moveTo(fit(layout, size));
  const nextBroken = () => {
    const next = broken[(broken.findIndex(({ node }) => node.id === active) + 1) % broken.length];
    if (!next || !size) return;
    setActive(next.node.id);
    moveTo(centre(next, size, camera.current.zoom));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const act = keyActions({ event, layout, active, setActive, zoomBy, showAll, nextBroken, onPress, show: (placed) => size && moveTo(reveal(camera.current, placed, size)) });
    if (act) event.preventDefault();
  };
  return (
    <div className="relative min-h-60 grow overflow-hidden rounded-card border border-line bg-panel">
      <div
        ref={frame}
        role="tree"
        aria-label={`Resources of ${name}`}
        aria-activedescendant={boxId(layout.byId.get(active)?.node ?? layout.placed[0]!.node)}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="absolute inset-0 cursor-grab touch-none overflow-hidden -outline-offset-2! active:cursor-grabbing"
      >
        <canvas ref={canvas} aria-hidden className="absolute inset-0 size-full" />
        <div ref={layer} role="none" className="absolute top-0 left-0 origin-top-left">
          {boxes.map((placed) => (
            <TreeBox key={placed.node.id} placed={placed} isActive={placed.node.id === active && active !== ROOT} isSelected={placed.node.id === selected} root={name} onPress={onPress} />
          ))}
        </div>
      </div>
      <Tones ref={tones} />
      <ZoomButtons brokenCount={broken.length} onZoom={zoomBy} onFit={showAll} onBroken={nextBroken} step={ZOOM_STEP} />
    </div>
  );
}

interface KeyTargets {
  event: KeyboardEvent;
  layout: Layout;
  active: string;
  setActive: (id: string) => void;
  zoomBy: (factor: number) => void;
  showAll: () => void;
  nextBroken: () => void;
  onPress: (node: TreeNode) => void;
  show: (placed: Placed) => void;
}

/** Acts on a key of the tree; reports if it was one. */
function keyActions({ event, layout, active, setActive, zoomBy, showAll, nextBroken, onPress, show }: KeyTargets): boolean {
  const here = layout.byId.get(active) ?? layout.placed[0];
  if (!here || event.ctrlKey || event.metaKey || event.altKey) return false;
  const next = move(layout, here, event.key);
  if (next) {
    setActive(next.node.id);
    show(next);
    return true;
  }
  const keys: Record<string, () => void> = { "+": () => zoomBy(ZOOM_STEP), "=": () => zoomBy(ZOOM_STEP), "-": () => zoomBy(1 / ZOOM_STEP), "0": showAll, f: nextBroken, Enter: () => onPress(here.node), " ": () => onPress(here.node) };
  keys[event.key]?.();
  return event.key in keys || event.key.startsWith("Arrow");
}

function boxesInView(layout: Layout, shown: { window: Rectangle; isReadable: boolean } | undefined, active: string): Placed[] {
  if (!shown) return [];
  const own = layout.byId.get(active) ?? layout.placed[0];
  if (!shown.isReadable) return own ? [own] : [];
  return layout.placed.filter((placed) => placed === own || isInside(placed, shown.window));
}

/** Trees of up to this many boxes are first shown so that they can be read, even if they do not fit. */
const READ_FIRST = 80;

/** A small tree is shown whole; a large one at its first broken resource, or whole where none is. */
function useFirstView(layout: Layout, size: Size | undefined, moveTo: (camera: Camera) => void) {
  const done = useRef(false);
  useLayoutEffect(() => {
    if (!size || done.current) return;
    done.current = true;
    const whole = fit(layout, size);
    const worst = layout.placed.find(({ node }) => node.resource && isBroken(node.resource) && node.children.length === 0);
    const isReadable = whole.zoom >= READABLE;
    const root = layout.placed[0];
    if (!isReadable && worst) moveTo(centre(worst, size, 0.8));
    else if (!isReadable && root && layout.placed.length <= READ_FIRST) moveTo({ ...centre(root, size, 0.8), x: 12 });
    else moveTo(whole);
  }, [layout, size, moveTo]);
}

/** A report that adds or removes boxes must not move the one that is read. */
function useAnchor(layout: Layout, size: Size | undefined, camera: RefObject<Camera>) {
  const before = useRef(layout);
  useLayoutEffect(() => {
    if (size && before.current !== layout) camera.current = keepInPlace(camera.current, before.current, layout, size);
    before.current = layout;
  }, [layout, size, camera]);
}

function useSize(element: { current: HTMLElement | null }): Size | undefined {
  const [size, setSize] = useState<Size>();
  useEffect(() => {
    const target = element.current;
    if (!target) return;
    const observer = new ResizeObserver(() => setSize({ width: target.clientWidth, height: target.clientHeight }));
    observer.observe(target);
    return () => observer.disconnect();
  }, [element]);
  return size;
}

/** Draws again when the theme changes, since the canvas holds colours. */
function useThemeChange(draw: () => void) {
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const observer = new MutationObserver(draw);
    query.addEventListener("change", draw);
    observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => {
      query.removeEventListener("change", draw);
      observer.disconnect();
    };
  }, [draw]);
}

function isEqual(a: Rectangle, b: Rectangle): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/** Elements that have the colours that the canvas needs. */
function Tones({ ref }: { ref: Ref<HTMLSpanElement> }) {
  return (
    <span ref={ref} hidden>
      <i data-tone="edge" className="text-field" />
      <i data-tone="thin" className="text-field" />
      <i data-tone="box" className="text-edge" />
      <i data-tone="ok" className="text-ok" />
      <i data-tone="bad" className="text-bad" />
      <i data-tone="warn" className="text-warn" />
      <i data-tone="accent" className="text-accent" />
      <i data-tone="missing" className="text-missing" />
      <i data-tone="unknown" className="text-unknown" />
    </span>
  );
}

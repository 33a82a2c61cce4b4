import { useEffect, type RefObject } from "react";
import { type Camera, zoomAt } from "./camera";

/** A press that moves less than this is a click. */
const SLOP = 4;

/** Pans by drag and wheel, zooms by Ctrl with the wheel and by two fingers. */
export function useGestures(frame: RefObject<HTMLElement | null>, camera: RefObject<Camera>, moveTo: (camera: Camera) => void) {
  useEffect(() => {
    const element = frame.current;
    if (!element) return;
    const pointers = new Map<number, { x: number; y: number }>();
    let moved = 0;

    const wheel = (event: WheelEvent) => {
      event.preventDefault();
      const box = element.getBoundingClientRect();
      if (event.ctrlKey || event.metaKey) moveTo(zoomAt(camera.current, Math.exp(-event.deltaY / 200), event.clientX - box.left, event.clientY - box.top));
      else moveTo({ ...camera.current, x: camera.current.x - event.deltaX, y: camera.current.y - event.deltaY });
    };
    const down = (event: PointerEvent) => {
      pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved = pointers.size === 1 ? 0 : SLOP;
    };
    const move = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const now = { x: event.clientX, y: event.clientY };
      moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
      if (moved >= SLOP && !element.hasPointerCapture(event.pointerId)) element.setPointerCapture(event.pointerId);
      const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
      pointers.set(event.pointerId, now);
      if (!other) return moveTo({ ...camera.current, x: camera.current.x + now.x - before.x, y: camera.current.y + now.y - before.y });
      const box = element.getBoundingClientRect();
      const factor = Math.hypot(now.x - other.x, now.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
      moveTo(zoomAt(camera.current, factor, (now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top));
    };
    const up = (event: PointerEvent) => pointers.delete(event.pointerId);
    /** A drag that ends on a box must not open it. */
    const click = (event: MouseEvent) => {
      if (moved >= SLOP) event.stopPropagation();
    };

    element.addEventListener("wheel", wheel, { passive: false });
    element.addEventListener("pointerdown", down);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", up);
    element.addEventListener("pointercancel", up);
    element.addEventListener("click", click, true);
    return () => {
      element.removeEventListener("wheel", wheel);
      element.removeEventListener("pointerdown", down);
      element.removeEventListener("pointermove", move);
      element.removeEventListener("pointerup", up);
      element.removeEventListener("pointercancel", up);
      element.removeEventListener("click", click, true);
    };
  }, [frame, camera, moveTo]);
}

import {
  Boxes,
  ClipboardList,
  Container,
  House,
  LayoutGrid,
  type LucideIcon,
  Rocket,
  Server,
  Settings,
  Users,
  Workflow,
} from "lucide-react";

export interface Place {
  to: string;
  title: string;
  icon: LucideIcon;
  /** The letter after g. */
  letter?: string;
  /** Stands in the bottom bar of small screens. */
  isPrimary?: boolean;
}

/** The places of the rail, in its order. */
export const places: readonly Place[] = [
  { to: "/", title: "Home", icon: House, letter: "h", isPrimary: true },
  { to: "/apps", title: "Applications", icon: LayoutGrid, letter: "a", isPrimary: true },
  { to: "/deployments", title: "Deployments", icon: Rocket, letter: "d", isPrimary: true },
  { to: "/images", title: "Images", icon: Container, letter: "i" },
  { to: "/workflows", title: "Workflows", icon: Workflow, letter: "w" },
  { to: "/runtimes", title: "Runtimes", icon: Server, letter: "t", isPrimary: true },
  { to: "/clusters", title: "Clusters", icon: Boxes, letter: "c" },
  { to: "/people", title: "People", icon: Users, letter: "p" },
  { to: "/audit", title: "Audit", icon: ClipboardList, letter: "u" },
  { to: "/settings", title: "Settings", icon: Settings, letter: "s" },
];

/** Returns the place that a path is in. */
export function placeOf(path: string): Place | undefined {
  const first = `/${path.split("/")[1] ?? ""}`;
  return places.find((place) => place.to === (first === "/join" ? "/runtimes" : first));
}

import { Ellipsis } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { Button as Pressable } from "react-aria-components";
import { BareLink } from "@/ui/Link";
import { Menu, MenuItem } from "@/ui/Menu";
import { places } from "./places";

const item =
  "flex h-14 flex-1 flex-col items-center justify-center gap-0.5 text-[11px] leading-4 font-medium text-dim aria-[current=page]:text-accent";

/** The rail of small screens: four places and the rest in a menu. */
export function BottomBar() {
  const navigate = useNavigate();
  const more = (
    <Pressable className={item}>
      <Ellipsis size={20} aria-hidden />
      More
    </Pressable>
  );
  return (
    <nav aria-label="Places" className="flex shrink-0 border-t border-line bg-panel pb-[env(safe-area-inset-bottom)] wide:hidden">
      {places.filter((place) => place.isPrimary).map(({ to, title, icon: Icon }) => (
        <BareLink key={to} to={to} activeOptions={{ exact: to === "/", includeSearch: false }} className={item}>
          <Icon size={20} strokeWidth={1.75} aria-hidden />
          {title === "Applications" ? "Apps" : title === "Deployments" ? "Deploys" : title}
        </BareLink>
      ))}
      <Menu label="More places" trigger={more} placement="top end">
        {places.filter((place) => !place.isPrimary).map((place) => (
          <MenuItem key={place.to} id={place.to} onAction={() => void navigate({ to: place.to })}>
            {place.title}
          </MenuItem>
        ))}
      </Menu>
    </nav>
  );
}

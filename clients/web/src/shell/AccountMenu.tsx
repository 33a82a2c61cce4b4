import { CircleUser } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { setAppearance, useAppearance, type Theme } from "@/theme/appearance";
import { IconButton } from "@/ui/Button";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { openShortcuts } from "./overlays";

const themes: readonly [Theme, string][] = [
  ["system", "Theme of the system"],
  ["light", "Light theme"],
  ["dark", "Dark theme"],
];

/** The menu of the signed-in user. */
export function AccountMenu() {
  const { theme } = useAppearance();
  const navigate = useNavigate();
  return (
    <Menu label="Account" trigger={<IconButton label="Account"><CircleUser size={18} strokeWidth={1.75} aria-hidden /></IconButton>}>
      {themes.map(([key, text]) => (
        <MenuItem key={key} id={key} isChecked={theme === key} onAction={() => setAppearance({ theme: key })}>
          {text}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem id="settings" onAction={() => void navigate({ to: "/settings" })}>Settings</MenuItem>
      <MenuItem id="shortcuts" shortcut="?" onAction={openShortcuts}>Keyboard shortcuts</MenuItem>
    </Menu>
  );
}

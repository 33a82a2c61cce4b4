import { CircleUser } from "lucide-react";
import { useNavigate } from "@tanstack/react-router";
import { useSession, type User } from "@/session";
import { signOut } from "@/session/session";
import { setAppearance, useAppearance, type Theme } from "@/theme/appearance";
import { initials } from "@/format/text";
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
  const session = useSession();
  const navigate = useNavigate();
  const user = session.kind === "signed-in" || session.kind === "expired" ? session.user : undefined;
  return (
    <Menu label="Account" trigger={<Trigger user={user} />}>
      {themes.map(([key, text]) => (
        <MenuItem key={key} id={key} isChecked={theme === key} onAction={() => setAppearance({ theme: key })}>
          {text}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem id="settings" onAction={() => void navigate({ to: "/settings" })}>Settings</MenuItem>
      <MenuItem id="shortcuts" shortcut="?" onAction={openShortcuts}>Keyboard shortcuts</MenuItem>
      <MenuLine />
      <MenuItem id="sign-out" onAction={() => void signOut()}>
        {user ? `Sign out ${user.displayName || user.user}` : "Sign out"}
      </MenuItem>
    </Menu>
  );
}

function Trigger({ user }: { user: User | undefined }) {
  if (!user?.user) return <IconButton label="Account"><CircleUser size={18} strokeWidth={1.75} aria-hidden /></IconButton>;
  const name = user.displayName || user.user;
  return (
    <IconButton label={`Account of ${name}`}>
      <span aria-hidden data-initials={initials(name)} className="flex size-6 items-center justify-center rounded-chip bg-accent-fill text-[11px] font-semibold text-accent before:content-[attr(data-initials)]" />
    </IconButton>
  );
}

import { Bookmark, ChevronDown } from "lucide-react";
import { useState } from "react";
import { toProblem, useSavedQueries, useWhoAmI, type SavedQuery } from "@/data";
import { FailureBanner } from "@/failure";
import { notify } from "@/shell";
import { Button, Checkbox, Dialog, Menu, MenuItem, MenuLine, TextField } from "@/ui";
import { stringifySearch } from "@/search";
import { noQuery, writeQuery } from "@/data/url";
import type { Apps } from "./useApps";

/** The views that the page has for everyone. */
const builtIn: readonly SavedQuery[] = [
  { name: "All applications", query: "", owner: "", roles: [] },
  { name: "Favourites", query: "favourites=yes", owner: "", roles: [] },
  { name: "Broken", query: "health=degraded,missing", owner: "", roles: [] },
  { name: "Out of sync", query: "sync=outOfSync", owner: "", roles: [] },
  { name: "Running operations", query: "operation=running", owner: "", roles: [] },
];

/** The menu of saved views: the page's, one's own, and those shared by others. */
export function ViewsMenu({ apps }: { apps: Apps }) {
  const saved = useSavedQueries("apps");
  const [isSaving, setSaving] = useState(false);
  const current = queryText(apps);
  const all = [...builtIn, ...saved.views];
  const filters = stringifySearch(writeQuery({ ...apps.query, layout: "table", group: "", sort: noQuery.sort, descending: false }, {})).slice(1);
  const active = all.find(({ query }) => query === current) ?? builtIn.find(({ query }) => query === filters);
  const remove = (name: string) =>
    saved.remove(name).then(
      () => notify({ text: `Deleted the view ${name}.`, state: "healthy" }),
      (error: unknown) => notify({ text: toProblem(error).message, state: "degraded" }),
    );
  const trigger = (
    <Button data-views-menu className="max-w-52" icon={<Bookmark size={14} aria-hidden className="shrink-0" />}>
      <span className="truncate">{active?.name ?? "Unsaved view"}</span>
      <ChevronDown size={14} aria-hidden className="shrink-0 text-dim" />
    </Button>
  );
  return (
    <>
      <Menu label="Views" trigger={trigger} placement="bottom start">
        {builtIn.map((view) => <MenuItem key={view.name} id={view.name} isChecked={view === active} onAction={() => apps.open(view.query)}>{view.name}</MenuItem>)}
        <MenuLine />
        {saved.views.map((view) => (
          <MenuItem key={`${view.owner}/${view.name}`} id={`saved:${view.owner}/${view.name}`} isChecked={view === active} onAction={() => apps.open(view.query)}>
            {view.roles.length > 0 ? `${view.name} (${view.owner}, shared)` : view.name}
          </MenuItem>
        ))}
        <MenuItem id="save" onAction={() => setSaving(true)}>Save this view…</MenuItem>
        {active && !builtIn.includes(active) ? <MenuItem id="delete" isDanger onAction={() => void remove(active.name)}>{`Delete ${active.name}`}</MenuItem> : <></>}
      </Menu>
      {isSaving && <SaveDialog query={current} saved={saved} onClose={() => setSaving(false)} />}
    </>
  );
}

/** Returns the query as the part of an address behind the question mark. */
export function queryText(apps: Apps): string {
  return stringifySearch(writeQuery({ ...noQuery, ...apps.query }, {})).slice(1);
}

interface SaveDialogProps {
  query: string;
  saved: ReturnType<typeof useSavedQueries>;
  onClose: () => void;
}

function SaveDialog({ query, saved, onClose }: SaveDialogProps) {
  const [name, setName] = useState("");
  const [roles, setRoles] = useState<readonly string[]>([]);
  const [error, setError] = useState<unknown>();
  const [isSaving, setSaving] = useState(false);
  const me = useWhoAmI();
  const save = async () => {
    setSaving(true);
    try {
      await saved.save({ name: name.trim(), query, roles });
      onClose();
    } catch (failure) {
      setError(failure);
    }
    setSaving(false);
  };
  const isTaken = saved.views.some((view) => view.name === name.trim());
  return (
    <Dialog
      title="Save this view"
      isOpen
      onClose={onClose}
      size="small"
      actions={
        <>
          <Button onPress={onClose}>Cancel</Button>
          <Button tone="accent" isDisabled={!name.trim() || isSaving} onPress={() => void save()}>{isTaken ? "Replace view" : "Save view"}</Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error !== undefined && <FailureBanner error={error} what="save the view" />}
        <TextField label="Name" value={name} onChange={setName} maxLength={64} autoFocus hint="Filters, order, groups and layout are saved; rows are not." />
        {(me.data?.roles.length ?? 0) > 0 && (
          <fieldset className="flex flex-col gap-1">
            <legend className="mb-1 text-label font-medium text-dim">Share with everyone who has the role</legend>
            {me.data?.roles.map((role) => (
              <Checkbox key={role} isSelected={roles.includes(role)} onChange={(isOn) => setRoles(isOn ? [...roles, role] : roles.filter((each) => each !== role))}>{role}</Checkbox>
            ))}
          </fieldset>
        )}
      </div>
    </Dialog>
  );
}

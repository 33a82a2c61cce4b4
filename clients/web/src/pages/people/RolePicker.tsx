import { Loaded } from "@/admin";
import { useRoles } from "@/data/reads/platform";
import { Checkbox } from "@/ui";

export interface RolePickerProps {
  label: string;
  value: readonly string[];
  onChange: (roles: string[]) => void;
}

/** All roles to tick, with what they are for. */
export function RolePicker({ label, value, onChange }: RolePickerProps) {
  const read = useRoles();
  const toggle = (role: string, isOn: boolean) => onChange(isOn ? [...value, role] : value.filter((other) => other !== role));
  return (
    <fieldset className="m-0 flex min-w-0 flex-col gap-1 border-0 p-0">
      <legend className="p-0 text-label font-medium text-dim">{label}</legend>
      <Loaded read={{ ...read, data: read.roles }} what="list roles" rows={3}>
        {(roles) => (
          <div className="flex max-h-60 flex-col overflow-y-auto">
            {roles.map((role) => (
              <Checkbox key={role.name} isSelected={value.includes(role.name)} onChange={(isOn) => toggle(role.name, isOn)}>
                <span className="min-w-0 truncate">
                  {role.name} <span className="text-label text-dim">{role.description}</span>
                </span>
              </Checkbox>
            ))}
          </div>
        )}
      </Loaded>
    </fieldset>
  );
}

import { PermissionService } from "@contract/causeway/platform/v1/permission_service_pb";
import { useAllPages } from "@/data/queries";
import { canI } from "@/failure";

/** Returns why an action is not allowed, or undefined where it is, or where that is not known. */
export type Guard = (permission: string) => string | undefined;

/** Reads the caller's permissions; what is not known is not a "no". */
export function useGuard(): Guard {
  const { data } = useAllPages(PermissionService.method.listPermissions, {});
  const known = new Map(data?.flatMap((page) => page.permissions).map(({ permission, held, limited }) => [permission, held || limited]));
  return (permission) => (known.get(permission) === false ? missing(permission) : undefined);
}

/** Tells which permission is missing and how to find out why. */
export function missing(permission: string): string {
  return `It needs the permission ${permission}, which no rule of your roles has. Ask an admin, or run: ${canI(permission)}`;
}

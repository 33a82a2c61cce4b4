/** Returns the notices of all that is shipped; throws for a licence that is not allowed. */
export function notices(root?: string): string;
export function isAllowed(name: string, expression: string): boolean;
export function shippedPackages(lock: { packages: Record<string, object> }): { path: string; name: string; version: string; licence: string }[];

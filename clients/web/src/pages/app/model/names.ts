/** Names an application for requests whose outcome is not known. */
export function scopeOf({ runtime, cluster, namespace, name }: { runtime: string; cluster: string; namespace: string; name: string }): string {
  return `${runtime}/${cluster}/${namespace}/${name}`;
}

/** Actions name an application without its cluster. */
export function withoutCluster({ runtime, namespace, name }: { runtime: string; namespace: string; name: string }) {
  return { runtime, namespace, name };
}

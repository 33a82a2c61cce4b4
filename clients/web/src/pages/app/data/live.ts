import { create } from "@bufbuild/protobuf";
import { ApplicationService, GetApplicationResponseSchema } from "@contract/causeway/inventory/v1/application_service_pb";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { type ApplicationKey, readKey, store, useApplication } from "@/data";

/** One application as it is now: read once, then kept by the stream that all tabs share. */
export function useLiveApplication(key: ApplicationKey) {
  const client = useQueryClient();
  const read = useApplication(key);
  const [isDeleted, setDeleted] = useState(false);
  const { runtime, cluster, namespace, name } = key;
  useEffect(() => {
    const names = { runtime, cluster, namespace, name };
    const place = readKey(ApplicationService.method.getApplication, names);
    setDeleted(false);
    return store().follow(names, (update) => {
      setDeleted(update.kind === "deleted");
      if (update.kind === "updated") client.setQueryData(place, create(GetApplicationResponseSchema, { application: update.application }));
    });
  }, [client, runtime, cluster, namespace, name]);
  return { ...read, isDeleted };
}

import { useApplication } from "@/data";
import { useApp } from "../context";

/** The images that ran just before a time; undefined where that is not known. */
export function useImagesBefore(at: number, enabled: boolean): readonly string[] | undefined {
  const { key } = useApp();
  const { data } = useApplication(key, at - 1, { enabled });
  return data?.application?.status?.images;
}

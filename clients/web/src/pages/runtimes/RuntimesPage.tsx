import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function RuntimesPage() {
  return (
    <Page title="Runtimes">
      <SkeletonRows />
    </Page>
  );
}

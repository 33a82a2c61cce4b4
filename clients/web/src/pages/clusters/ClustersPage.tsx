import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function ClustersPage() {
  return (
    <Page title="Clusters">
      <SkeletonRows />
    </Page>
  );
}

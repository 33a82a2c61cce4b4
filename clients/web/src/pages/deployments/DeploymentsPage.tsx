import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function DeploymentsPage() {
  return (
    <Page title="Deployments">
      <SkeletonRows />
    </Page>
  );
}

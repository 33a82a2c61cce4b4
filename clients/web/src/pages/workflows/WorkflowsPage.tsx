import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function WorkflowsPage() {
  return (
    <Page title="Workflows">
      <SkeletonRows />
    </Page>
  );
}

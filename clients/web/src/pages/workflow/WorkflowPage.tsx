import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function WorkflowPage() {
  return (
    <Page title="Workflow">
      <SkeletonRows />
    </Page>
  );
}

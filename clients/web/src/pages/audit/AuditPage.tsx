import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function AuditPage() {
  return (
    <Page title="Audit">
      <SkeletonRows />
    </Page>
  );
}

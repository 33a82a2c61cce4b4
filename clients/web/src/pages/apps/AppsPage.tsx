import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function AppsPage() {
  return (
    <Page title="Applications">
      <SkeletonRows />
    </Page>
  );
}

import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function RuntimePage() {
  return (
    <Page title="Runtime">
      <SkeletonRows />
    </Page>
  );
}

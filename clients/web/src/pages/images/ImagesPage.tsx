import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function ImagesPage() {
  return (
    <Page title="Images">
      <SkeletonRows />
    </Page>
  );
}

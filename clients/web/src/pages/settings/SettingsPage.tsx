import { Page } from "@/shell";
import { SkeletonRows } from "@/ui";

export default function SettingsPage() {
  return (
    <Page title="Settings">
      <SkeletonRows />
    </Page>
  );
}

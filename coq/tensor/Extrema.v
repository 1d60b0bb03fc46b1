(** Collections of values; products and extrema of finite collections of real numbers.

    [over n f]   the values [f k] for [0 <= k < n], one after another
    [only g l]   the values [l] if [g] holds, else none
    [product l], [maximum none l], [minimum none l]   of no values, these are 1 and [none]
    [maximum_cover]   the same values, in whatever order and number, have the same maximum
    [over_apart]   the values along a merged axis are those along the axes that were merged
    [over_some]   there are values where there is one
    [maximum_map], [minimum_map]   what grows makes of the largest of some values the largest of what it makes of them
    [only_same]   guards that are the same, and values that are where they hold *)

From Coq Require Import Reals ZArith List Lra Lia Bool.
From Vouch Require Import tensor.Sums.
Import ListNotations.
Local Open Scope R_scope.

Definition over {A} (n : Z) (f : Z -> list A) : list A := flat_map f (range n).
Definition only {A} (g : bool) (l : list A) : list A := if g then l else [].

Definition product (l : list R) : R := fold_right Rmult 1 l.
Definition maximum (none : R) (l : list R) : R :=
  match l with
  | [] => none
  | a :: rest => fold_right Rmax a rest
  end.
Definition minimum (none : R) (l : list R) : R :=
  match l with
  | [] => none
  | a :: rest => fold_right Rmin a rest
  end.

Lemma range_from (k m : Z) : (0 <= k)%Z -> (0 <= m)%Z -> range (k + m) = range k ++ map (fun v => (k + v)%Z) (range m).
Proof.
  intros k_pos m_pos. unfold range. rewrite Z2Nat.inj_add, seq_app, map_app by assumption.
  f_equal. cbn [Nat.add]. rewrite map_map. generalize (Z.to_nat m) as count. intros count.
  assert (all : forall first, map Z.of_nat (seq (Z.to_nat k + first) count) =
    map (fun v => (k + Z.of_nat v)%Z) (seq first count)).
  { induction count as [|count IHcount]; intros first; cbn; [reflexivity|].
    f_equal; [lia|]. rewrite <- Nat.add_succ_r. apply IHcount. }
  rewrite <- all, Nat.add_0_r. reflexivity.
Qed.

Section VALUES.
  Context {A : Type}.
  Implicit Types l : list A.

  Lemma over_ext n m (f g : Z -> list A) :
    n = m -> (forall k, (0 <= k < m)%Z -> f k = g k) -> over n f = over m g.
  Proof.
    intros -> same. unfold over. rewrite !flat_map_concat_map. f_equal.
    apply map_ext_in. intros k k_in. now apply same, in_range.
  Qed.

  (* Along a merged axis: along the outer one of its axes, and there along the inner one. *)
  Lemma over_apart n m size (f g : Z -> list A) :
    (1 <= m)%Z -> size = (n * m)%Z ->
    (forall w, (0 <= w < n)%Z -> over m (fun v => f (m * w + v)%Z) = g w) -> over size f = over n g.
  Proof.
    intros m_pos -> each. destruct (Z.le_gt_cases 0 n) as [n_pos|n_neg].
    2: { unfold over, range. replace (Z.to_nat (n * m)) with 0%nat by nia. now replace (Z.to_nat n) with 0%nat by lia. }
    transitivity (over n (fun w => over m (fun v => f (m * w + v)%Z))); [|now apply over_ext].
    clear each. pattern n. apply natlike_ind; [reflexivity| |assumption].
    intros k k_pos IHk. unfold over in *.
    rewrite Z.mul_succ_l, range_from, flat_map_app, IHk by nia.
    unfold Z.succ. rewrite (range_from k 1), flat_map_app by lia. f_equal.
    change (range 1) with [0%Z]. cbn [map flat_map]. rewrite app_nil_r.
    rewrite flat_map_concat_map, map_map, <- flat_map_concat_map.
    rewrite (Z.mul_comm k m), Z.add_0_r. reflexivity.
  Qed.

  Lemma only_ext g h l m :
    (g = true -> h = true) -> (h = true -> g = true) -> (g = true -> l = m) -> only g l = only h m.
  Proof.
    unfold only. destruct g, h; intros there back same; auto.
    - now discriminate there.
    - now discriminate back.
  Qed.

  Lemma only_same g h l m : g = h -> (h = true -> l = m) -> only g l = only h m.
  Proof. intros ->. destruct h; cbn; auto. Qed.

  Lemma only_true g l m : g = true -> l = m -> only g l = m.
  Proof. now intros ->. Qed.

  Lemma only_true_r g l m : g = true -> l = m -> l = only g m.
  Proof. now intros ->. Qed.

  Lemma one_ext (x y : A) : x = y -> [x] = [y].
  Proof. now intros ->. Qed.

  Lemma in_over n (f : Z -> list A) x : In x (over n f) <-> exists k, (0 <= k < n)%Z /\ In x (f k).
  Proof.
    unfold over. rewrite in_flat_map. split; intros (k & k_in & x_in); exists k;
      now rewrite in_range in *.
  Qed.

  Lemma in_only g l x : In x (only g l) <-> g = true /\ In x l.
  Proof. unfold only. destruct g; cbn; intuition discriminate. Qed.

  Lemma over_some k n (f : Z -> list A) : (0 <= k < n)%Z -> f k <> [] -> over n f <> [].
  Proof.
    intros k_in some none. destruct (f k) as [|x rest] eqn:values; [easy|].
    assert (there : In x (over n f)) by (apply in_over; exists k; rewrite values; split; [easy|now left]).
    now rewrite none in there.
  Qed.

  Lemma only_some g l : g = true -> l <> [] -> only g l <> [].
  Proof. now intros ->. Qed.
End VALUES.

Lemma maximum_in none a l : In (maximum none (a :: l)) (a :: l).
Proof.
  cbn [maximum]. induction l as [|b l IHl]; cbn [fold_right]; [now left|].
  destruct (Rle_dec b (fold_right Rmax a l)) as [less|more].
  - rewrite Rmax_right by assumption. destruct IHl as [first|later]; [now left|now right; right].
  - rewrite Rmax_left by lra. right. now left.
Qed.

Lemma maximum_bound none l x : In x l -> x <= maximum none l.
Proof.
  destruct l as [|a l]; [easy|]. cbn [maximum].
  intros [<-|x_in].
  - induction l as [|b l IHl]; cbn; [lra|]. now apply Rle_trans with (2 := Rmax_r _ _).
  - induction l as [|b l IHl]; [easy|]. destruct x_in as [<-|x_in]; cbn; [apply Rmax_l|].
    apply Rle_trans with (2 := Rmax_r _ _). auto.
Qed.

Theorem maximum_cover none l m :
  (forall x, In x l -> In x m) -> (forall x, In x m -> In x l) ->
  maximum none l = maximum none m.
Proof.
  intros there back. destruct l as [|a l], m as [|b m]; [reflexivity| | |].
  - now destruct (back b (or_introl eq_refl)).
  - now destruct (there a (or_introl eq_refl)).
  - apply Rle_antisym; apply maximum_bound; [apply there|apply back]; apply maximum_in.
Qed.

Lemma minimum_is_maximum none l : minimum none l = - maximum (- none) (map Ropp l).
Proof.
  destruct l as [|a l]; cbn; [ring|].
  induction l as [|b l IHl]; cbn; [ring|]. now rewrite IHl, Ropp_Rmax, Ropp_involutive.
Qed.

Theorem minimum_cover none l m :
  (forall x, In x l -> In x m) -> (forall x, In x m -> In x l) ->
  minimum none l = minimum none m.
Proof.
  intros there back. rewrite !minimum_is_maximum. f_equal. apply maximum_cover.
  - intros x. rewrite !in_map_iff. intros (y & <- & y_in). exists y. auto.
  - intros x. rewrite !in_map_iff. intros (y & <- & y_in). exists y. auto.
Qed.

(** ** What is made of each value *)

Lemma map_over {A B} (h : A -> B) n f : map h (over n f) = over n (fun k => map h (f k)).
Proof.
  unfold over. induction (range n) as [|k l IHl]; cbn [flat_map map]; [easy|].
  now rewrite map_app, IHl.
Qed.

Lemma map_only {A B} (h : A -> B) g l : map h (only g l) = only g (map h l).
Proof. now destruct g. Qed.

Theorem maximum_map (h : R -> R) none l :
  (forall x y, h (Rmax x y) = Rmax (h x) (h y)) -> l <> [] ->
  maximum none (map h l) = h (maximum none l).
Proof.
  intros keeps some. destruct l as [|a l]; [easy|]. cbn [maximum map].
  induction l as [|b l IHl]; cbn [fold_right map]; [easy|]. now rewrite IHl, keeps.
Qed.

Theorem minimum_map (h : R -> R) none l :
  (forall x y, h (Rmin x y) = Rmin (h x) (h y)) -> l <> [] ->
  minimum none (map h l) = h (minimum none l).
Proof.
  intros keeps some. destruct l as [|a l]; [easy|]. cbn [minimum map].
  induction l as [|b l IHl]; cbn [fold_right map]; [easy|]. now rewrite IHl, keeps.
Qed.

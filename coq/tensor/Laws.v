(** Laws that hold bit for bit, of floats as of integers: what theorems over any scalars may ask for, each in a hypothesis.

    [commutes plus]        the operands of a sum or a product in either order
    [undoes negated]       what is done twice is undone: a sign
    [truths_compare equal one zero]   truth values are equal where they are the same
    [semilattice larger largest]      [largest] is what [larger] makes of a list, in whatever order and however often a value is there;
                           of no values it is what is never larger. So it is with [smaller] and [smallest]
    [largest_cover]        the same values, but for those that are never larger, have the same largest
    [larger_of_largest]    the larger of the largest and another is the largest of what is larger of each and that other
    [semilattices]         closes goals about trees of [larger] with the same leaves *)

From Coq Require Import ZArith List Bool.
From Vouch Require Import tensor.Sums tensor.Extrema.
Import ListNotations.

Definition commutes {A} (op : A -> A -> A) : Prop := forall a b, op a b = op b a.
Definition undoes {A} (op : A -> A) : Prop := forall a, op (op a) = a.
Definition truths_compare {A} (equal : A -> A -> bool) (one zero : A) : Prop :=
  forall g h : bool, equal (if g then one else zero) (if h then one else zero) = Bool.eqb g h.

Record semilattice {A} (larger : A -> A -> A) (largest : list A -> A) : Prop := {
  larger_commutes : commutes larger;
  larger_associates : forall a b c, larger a (larger b c) = larger (larger a b) c;
  larger_twice : forall a, larger a a = a;
  larger_of_none : forall a, larger (largest []) a = a;
  largest_of_more : forall a l, largest (a :: l) = larger a (largest l)
}.

Section SEMILATTICE.
  Context {A : Type} (larger : A -> A -> A) (largest : list A -> A) (LAWS : semilattice larger largest).

  Lemma largest_one a : largest [a] = a.
  Proof using LAWS.
    rewrite (largest_of_more _ _ LAWS), (larger_commutes _ _ LAWS). apply (larger_of_none _ _ LAWS).
  Qed.

  Lemma largest_app l m : largest (l ++ m) = larger (largest l) (largest m).
  Proof using LAWS.
    induction l as [|a l IHl]; cbn; [now rewrite (larger_of_none _ _ LAWS)|].
    now rewrite !(largest_of_more _ _ LAWS), IHl, (larger_associates _ _ LAWS).
  Qed.

  Lemma largest_absorbs a l : In a l -> larger a (largest l) = largest l.
  Proof using LAWS.
    induction l as [|b l IHl]; [easy|]. rewrite (largest_of_more _ _ LAWS). intros [->|a_in].
    - now rewrite (larger_associates _ _ LAWS), (larger_twice _ _ LAWS).
    - rewrite (larger_associates _ _ LAWS), (larger_commutes _ _ LAWS a b), <- (larger_associates _ _ LAWS).
      now rewrite IHl.
  Qed.

  Lemma largest_within l m : (forall a, In a l -> In a m \/ a = largest []) -> larger (largest l) (largest m) = largest m.
  Proof using LAWS.
    induction l as [|a l IHl]; intros within; [apply (larger_of_none _ _ LAWS)|].
    rewrite (largest_of_more _ _ LAWS), <- (larger_associates _ _ LAWS), IHl.
    - destruct (within a) as [a_in| ->]; [now left|now apply largest_absorbs|apply (larger_of_none _ _ LAWS)].
    - intros b b_in. apply within. now right.
  Qed.

  Definition covered (l m : list A) : Prop := forall a, In a l -> In a m \/ a = largest [].

  Theorem largest_cover l m : covered l m -> covered m l -> largest l = largest m.
  Proof using LAWS.
    intros there back. rewrite <- (largest_within l m there), (larger_commutes _ _ LAWS). symmetry. now apply largest_within.
  Qed.

  Theorem larger_of_largest c l : l <> [] -> largest (map (fun a => larger a c) l) = larger (largest l) c.
  Proof using LAWS.
    intros some. induction l as [|a [|b l] IHl]; [easy| |].
    - cbn. now rewrite !largest_one.
    - cbn [map] in *. rewrite (largest_of_more _ _ LAWS), IHl by easy.
      rewrite (largest_of_more _ _ LAWS a).
      rewrite (larger_associates _ _ LAWS (larger a c)), <- (larger_associates _ _ LAWS a c).
      rewrite (larger_commutes _ _ LAWS c), (larger_associates _ _ LAWS a), <- (larger_associates _ _ LAWS _ c c).
      now rewrite (larger_twice _ _ LAWS).
  Qed.

  (** ** Index by index *)

  Lemma over_covered n m (f g : Z -> list A) :
    n = m -> (forall k, (0 <= k < m)%Z -> covered (f k) (g k)) -> covered (over n f) (over m g).
  Proof using Type.
    intros -> each a. rewrite !in_over. intros (k & k_in & a_in).
    destruct (each k k_in a a_in) as [there|none]; [left; now exists k|now right].
  Qed.

  (* A value that counts where both guards hold. *)
  Lemma choice_covered (g p h : bool) a b :
    (g = true -> p = true -> h = true) -> (g = true -> p = true -> a = b) ->
    covered (only g [if p then a else largest []]) (only h [b]).
  Proof using Type.
    intros there same x. rewrite in_only. intros (g_true & [<-|[]]). destruct p; [|now right].
    left. apply in_only. split; [now apply there|]. left. symmetry. now apply same.
  Qed.

  Lemma covered_by_choice (g p h : bool) a b :
    (h = true -> g = true) -> (h = true -> p = true) -> (h = true -> a = b) ->
    covered (only h [b]) (only g [if p then a else largest []]).
  Proof using Type.
    intros guard_holds chosen same x. rewrite in_only. intros (h_true & [<-|[]]). left.
    apply in_only. split; [now apply guard_holds|]. rewrite (chosen h_true). left. now apply same.
  Qed.

  (** ** Trees *)

  Inductive tree : Type := One (a : A) | Larger (t u : tree).
  Fixpoint tree_value (t : tree) : A :=
    match t with One a => a | Larger t u => larger (tree_value t) (tree_value u) end.
  Fixpoint leaves (t : tree) : list A :=
    match t with One a => [a] | Larger t u => leaves t ++ leaves u end.

  Lemma tree_value_is t : tree_value t = largest (leaves t).
  Proof using LAWS.
    induction t as [a|t IHt u IHu]; cbn; [symmetry; apply largest_one|].
    now rewrite IHt, IHu, <- largest_app.
  Qed.

  Theorem same_leaves t u :
    (forall a, In a (leaves t) -> In a (leaves u)) -> (forall a, In a (leaves u) -> In a (leaves t)) ->
    tree_value t = tree_value u.
  Proof using LAWS.
    intros there back. rewrite !tree_value_is. apply largest_cover; intros a a_in; left; auto.
  Qed.
End SEMILATTICE.

Arguments One {A} a.
Arguments Larger {A} t u.

Ltac tree_of larger t := lazymatch t with
  | larger ?a ?b => let x := tree_of larger a in let y := tree_of larger b in constr:(Larger x y)
  | _ => constr:(One t)
  end.
Ltac one_of there := first [ left; exact there | right; one_of there ].
Ltac among there := lazymatch type of there with
  | False => destruct there
  | _ \/ _ => destruct there as [there|there]; [one_of there | among there]
  end.
Ltac semilattices laws := lazymatch type of laws with
  | semilattice ?larger ?largest => lazymatch goal with
    | |- ?a = ?b =>
        let t := tree_of larger a in let u := tree_of larger b in
        apply (same_leaves larger largest laws t u); cbn [leaves app In]; let there := fresh in intros ? there; among there
    end
  end.

(* Guards that are not written. *)
Ltac guard_first := lazymatch goal with |- covered ?largest [?a] ?m => change (covered largest (only true [a]) m) end.
Ltac guard_second := lazymatch goal with |- covered ?largest ?l [?b] => change (covered largest l (only true [b])) end.
Ltac guard_both := guard_first; guard_second.

(** ** Truth values, by cases *)

Ltac destruct_truth g := lazymatch g with
  | negb ?h => destruct_truth h
  | andb ?h _ => destruct_truth h
  | orb ?h _ => destruct_truth h
  | _ => destruct g
  end.
Ltac truth_cases law :=
  let both := fresh in pose proof (law true true) as both; cbn in both;
  let first := fresh in pose proof (law true false) as first; cbn in first;
  let second := fresh in pose proof (law false true) as second; cbn in second;
  let neither := fresh in pose proof (law false false) as neither; cbn in neither;
  let simplified := cbn [negb andb orb];
    repeat (first [rewrite both | rewrite first | rewrite second | rewrite neither]; cbn [negb andb orb]) in
  simplified;
  repeat (match goal with |- context [if ?g then _ else _] =>
      lazymatch g with context [if _ then _ else _] => fail | _ => destruct_truth g end
    end; simplified);
  reflexivity.

(** Natural numbers are such: no hypothesis contradicts another. *)
Lemma semilattice_of_naturals : semilattice Nat.max list_max.
Proof.
  constructor; unfold commutes; intros; cbn.
  - apply Nat.max_comm.
  - apply Nat.max_assoc.
  - apply Nat.max_id.
  - reflexivity.
  - reflexivity.
Qed.

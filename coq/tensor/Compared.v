(** Comparisons of real numbers, as booleans.

    [Rltb], [Rleb], [Reqb]   comparisons of real numbers
    [integral_guards]   reads comparisons of numbers that are integers as comparisons of integers
    [grows f]   the larger of two numbers becomes the larger: [f] can be taken out of comparisons and extrema
    [growing]   closes such goals, of functions of the standard library *)

From Coq Require Import Reals ZArith List Lia Lra Bool Ratan.
From Vouch Require Import tensor.Extrema.
Local Open Scope R_scope.

Definition Rltb (a b : R) : bool := if Rlt_dec a b then true else false.
Definition Rleb (a b : R) : bool := if Rle_dec a b then true else false.
Definition Reqb (a b : R) : bool := if Req_EM_T a b then true else false.

Lemma Rltb_true a b : Rltb a b = true <-> a < b.
Proof. unfold Rltb. now destruct (Rlt_dec a b). Qed.
Lemma Rltb_false a b : Rltb a b = false <-> b <= a.
Proof. unfold Rltb. destruct (Rlt_dec a b); split; intros; try easy; lra. Qed.
Lemma Rleb_true a b : Rleb a b = true <-> a <= b.
Proof. unfold Rleb. now destruct (Rle_dec a b). Qed.
Lemma Rleb_false a b : Rleb a b = false <-> b < a.
Proof. unfold Rleb. destruct (Rle_dec a b); split; intros; try easy; lra. Qed.
Lemma Reqb_true a b : Reqb a b = true <-> a = b.
Proof. unfold Reqb. now destruct (Req_EM_T a b). Qed.
Lemma Reqb_false a b : Reqb a b = false <-> a <> b.
Proof. unfold Reqb. now destruct (Req_EM_T a b). Qed.

(* No computation decides them: [reflexivity] would try for a long time. *)
Global Opaque Rltb Rleb Reqb.

(** Comparisons of real numbers that say something of integers. *)

Lemma Reqb_IZR a b : Reqb (IZR a) (IZR b) = (a =? b)%Z.
Proof.
  apply eq_true_iff_eq. rewrite Reqb_true, Z.eqb_eq. split; [apply eq_IZR | now intros ->].
Qed.
Lemma Rltb_IZR a b : Rltb (IZR a) (IZR b) = (a <? b)%Z.
Proof.
  apply eq_true_iff_eq. rewrite Rltb_true, Z.ltb_lt. split; [apply lt_IZR | apply IZR_lt].
Qed.
Lemma Rleb_IZR a b : Rleb (IZR a) (IZR b) = (a <=? b)%Z.
Proof.
  apply eq_true_iff_eq. rewrite Rleb_true, Z.leb_le. split; [apply le_IZR | apply IZR_le].
Qed.

Lemma compare_choice (compare : R -> R -> bool) (g : bool) a b c :
  compare (if g then a else b) c = g && compare a c || negb g && compare b c.
Proof. destruct g; cbn; now rewrite ?orb_false_r. Qed.
Lemma compare_choice_r (compare : R -> R -> bool) (g : bool) a b c :
  compare c (if g then a else b) = g && compare c a || negb g && compare c b.
Proof. destruct g; cbn; now rewrite ?orb_false_r. Qed.

Ltac integral_guards := repeat match goal with
  | there : context [Reqb (if _ then _ else _) _] |- _ => rewrite (compare_choice Reqb) in there
  | there : context [Reqb (IZR _) (IZR _)] |- _ => rewrite Reqb_IZR in there
  | there : context [Rltb (IZR _) (IZR _)] |- _ => rewrite Rltb_IZR in there
  | there : context [Rleb (IZR _) (IZR _)] |- _ => rewrite Rleb_IZR in there
  | |- context [Reqb (if _ then _ else _) _] => rewrite (compare_choice Reqb)
  | |- context [Reqb _ (if _ then _ else _)] => rewrite (compare_choice_r Reqb)
  | |- context [Reqb (IZR _) (IZR _)] => rewrite Reqb_IZR
  | |- context [Rltb (IZR _) (IZR _)] => rewrite Rltb_IZR
  | |- context [Rleb (IZR _) (IZR _)] => rewrite Rleb_IZR
  end.

(* What is said of real numbers, or of any scalars, alone says nothing of integers. *)
Ltac compared g := lazymatch g with
  | negb ?h => compared h
  | Reqb _ _ => g
  | Rltb _ _ => g
  | Rleb _ _ => g
  | ?compare ?a _ => let variable := match constr:(Set) with _ => is_var compare end in lazymatch type of a with Z => fail | _ => g end
  end.
Ltac forget_reals := repeat match goal with
  | there : (_ < _)%R |- _ => clear there
  | there : (_ <= _)%R |- _ => clear there
  | there : @eq R _ _ |- _ => clear there
  | there : ?g = _ |- ?wanted =>
      let h := compared g in
      lazymatch wanted with context [h] => fail | _ => clear there end;
      lazymatch goal with elsewhere : context [h] |- _ => fail | _ => idtac end
  end.

(** ** What grows *)

Definition grows (f : R -> R) : Prop := forall x y, x < y -> f x < f y.

Ltac growing := first [ exact exp_increasing | exact atan_increasing | exact sinh_lt ].

Section GROWING.
  Context (f : R -> R) (f_grows : grows f).

  Lemma grows_equal x y : Reqb (f x) (f y) = Reqb x y.
  Proof using f_grows.
    apply eq_true_iff_eq. rewrite !Reqb_true. split; [|now intros ->].
    intros same. destruct (Rtotal_order x y) as [less|[equal|more]]; [|assumption|].
    - apply f_grows in less. lra.
    - apply f_grows in more. lra.
  Qed.

  Lemma grows_less x y : Rltb (f x) (f y) = Rltb x y.
  Proof using f_grows.
    apply eq_true_iff_eq. rewrite !Rltb_true. split; [|apply f_grows].
    intros less. destruct (Rtotal_order x y) as [done|[->|more]]; [assumption|lra|].
    apply f_grows in more. lra.
  Qed.

  Lemma grows_less_or_equal x y : Rleb (f x) (f y) = Rleb x y.
  Proof using f_grows.
    apply eq_true_iff_eq. rewrite !Rleb_true. split; intros order.
    - destruct (Rle_lt_dec x y) as [done|more]; [assumption|]. apply f_grows in more. lra.
    - destruct (Rle_lt_or_eq_dec x y order) as [less| ->]; [|lra]. apply f_grows in less. lra.
  Qed.

  Lemma grows_max x y : f (Rmax x y) = Rmax (f x) (f y).
  Proof using f_grows.
    destruct (Rle_lt_dec x y) as [order|order].
    - rewrite !Rmax_right; [reflexivity| |assumption].
      destruct (Rle_lt_or_eq_dec x y order) as [less| ->]; [|lra]. apply f_grows in less. lra.
    - pose proof (f_grows y x order). rewrite !Rmax_left; [reflexivity|lra|lra].
  Qed.

  Lemma grows_min x y : f (Rmin x y) = Rmin (f x) (f y).
  Proof using f_grows.
    destruct (Rle_lt_dec x y) as [order|order].
    - rewrite !Rmin_left; [reflexivity| |assumption].
      destruct (Rle_lt_or_eq_dec x y order) as [less| ->]; [|lra]. apply f_grows in less. lra.
    - pose proof (f_grows y x order). rewrite !Rmin_right; [reflexivity|lra|lra].
  Qed.
End GROWING.
